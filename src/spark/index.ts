/**
 * A client of Spark Connect for Node: SQL, tables and files in, batches of Arrow out.
 *
 * It knows nothing of blocklab. It speaks version 4.0 of the protocol, over gRPC in JavaScript alone.
 */
export { type ClientOptions, SparkClient } from "./client.ts";
export { type Connection, connectionOf } from "./connection.ts";
export { SparkError, type SparkErrorDetail } from "./errors.ts";
export * from "./relations.ts";
export type { RunOptions, SparkMetric, SparkProgress, SparkRows } from "./rows.ts";
export { quotedName, type SparkField, type SparkType } from "./types.ts";
