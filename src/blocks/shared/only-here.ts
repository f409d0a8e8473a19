import { DataError } from "../../core/errors.ts";

/** What can't be done where rows lie on a cluster, and the way out. */
export function onlyHere(who: string, why: string): DataError {
  return new DataError(
    `${who}: its rows lie on Spark, and ${why}; take them out first by collect(), or fewer of them: sample(), and then collect().`,
    { code: "on_cluster" },
  );
}
