import { workerData } from "node:worker_threads";
import { DatabaseSync } from "../core/sqlite.ts";

// Started by database.ts: moves what is in the write-ahead log into the database, beside all reading and writing.
const database = new DatabaseSync(workerData as string, { timeout: 1000 });
database.exec("PRAGMA wal_checkpoint(PASSIVE)");
database.close();
