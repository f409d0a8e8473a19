import type { ClusterSource } from "../../core/cluster.ts";
import { DataError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import { SparkError } from "../../spark/index.ts";

/** What programs are told of a failure of Spark, by its own code. */
const codes: Readonly<Record<string, string>> = {
  UNREACHABLE: "cluster_unreachable",
  NO_ANSWER: "cluster_unreachable",
  NOT_SPARK: "cluster_unreachable",
  SERVER_GONE: "cluster_unreachable",
  OLD_SERVER: "cluster_old",
  ACCESS_DENIED: "cluster_refused",
  CERTIFICATE: "cluster_certificate",
  TABLE_OR_VIEW_NOT_FOUND: "no_table",
  SCHEMA_NOT_FOUND: "no_table",
  CATALOG_NOT_FOUND: "no_table",
  REQUIRES_SINGLE_PART_NAMESPACE: "no_table",
  PATH_NOT_FOUND: "no_file",
  RESULT_TOO_LARGE: "result_too_large",
  OUT_OF_MEMORY: "cluster_memory",
  TOO_DEEP: "plan_too_deep",
  FAILED_TO_PARSE_TOO_COMPLEX: "plan_too_deep",
};

/** A failure of the cluster as one sentence of the block's. */
export function ofInput(error: unknown, source: ClusterSource): unknown {
  return told(error, "input (DP_1)", (failure) => unreadable(failure, source));
}

/** A failure of the cluster as one sentence of who asked it. */
export function ofCluster(error: unknown, who: string): unknown {
  return told(error, who, () => null);
}

function told(error: unknown, who: string, better: (failure: SparkError) => string | null): unknown {
  if (!(error instanceof SparkError)) return error;
  const sentence = better(error) ?? error.message.slice(0, 500).trimEnd().replace(/\.$/, "");
  return new DataError(`${who}: ${sentence}.`, { code: codes[error.code] ?? "cluster_failed" });
}

/** Failures of files, of which Spark tells its own classes and tasks. */
function unreadable({ message }: SparkError, source: ClusterSource): string | null {
  if ("table" in source) return null;
  const scheme = /No FileSystem for scheme "?(\w+)/.exec(message)?.[1];
  if (scheme) {
    return `Spark there reads no ${scheme}:// addresses; write the address as it knows it, such as s3a:// for s3://, or add the store's jar to the server`;
  }
  if (/Unable to infer schema/.test(message)) {
    return `Spark finds no Parquet file at ${quoted(source.address)}; those whose names begin with _ or . are hidden from it`;
  }
  const isOfFile = /Job aborted|awaitResult|MALFORMED|error while reading file|footer|CSV header/i.test(message);
  if (!isOfFile) return null;
  const { address, format } = source;
  return format === "parquet"
    ? `Spark can't read ${quoted(address)} as Parquet; give file_type: "csv" if it holds CSV files, and look for a damaged file otherwise`
    : `Spark can't read ${quoted(address)} as CSV; its files must have the same columns in the same order, and a cell for each in every line`;
}
