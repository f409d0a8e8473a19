import { ArgsError } from "../../core/errors.ts";
import { listed, quoted } from "../../core/names.ts";
import { localPlace, type SourceRules } from "../sources.ts";

/** Stores whose files a cluster reads by itself. */
const schemes = ["s3", "s3a", "s3n", "hdfs", "viewfs", "abfs", "abfss", "wasb", "wasbs", "gs", "dbfs", "oss"];

/**
 * An address as the cluster gets it.
 *
 * A path of this machine must be one that the caller may read; it goes to the cluster as `file://`, for a server that
 * sees the same folder.
 */
export async function clusterAddress(dburl: string, rules: SourceRules): Promise<string> {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(dburl)?.[1].toLowerCase();
  if (scheme !== undefined && scheme !== "file") {
    if (schemes.includes(scheme) && /^[a-z0-9]+:\/\//i.test(dburl)) return dburl;
    throw new ArgsError(
      `input (DP_1): Spark reads a path, or an address that begins with ${listed(schemes.slice(0, 4).map((each) => `${each}://`))} or the like, got ${quoted(dburl)}.`,
      { path: "dburl", got: dburl.slice(0, 80) },
    );
  }
  const { path } = await localPlace(dburl, rules);
  // To Hadoop these letters make a pattern, which could match files that nobody named.
  if (/[*?[\]{}\\]/.test(path)) {
    throw new ArgsError(
      `input (DP_1): Spark takes *, ?, [, ], {, } and \\ in a path for a pattern, so rename ${quoted(dburl)}.`,
      { path: "dburl", got: dburl.slice(0, 200) },
    );
  }
  return `file://${path}`;
}
