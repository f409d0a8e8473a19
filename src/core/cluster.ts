import type { Column } from "../plan/column.ts";
import type { Relation } from "../plan/node.ts";
import type { IngestOptions } from "./tables.ts";

/** What a cluster reads: a table or view of its catalogs by name, or files at an address. */
export type ClusterSource =
  | { readonly table: string }
  | {
      /** A path here, or an address such as s3://bucket/folder, as the cluster sees it. */
      readonly address: string;
      readonly format: "parquet" | "csv";
      readonly delimiter?: string | undefined;
      /** Does the first line of each CSV file name the columns? */
      readonly hasHeader: boolean;
      readonly encoding?: string | undefined;
    };

/** How rows of a cluster are brought here. */
export interface Collecting extends Pick<IngestOptions, "types" | "naValues" | "decimal" | "thousands"> {
  readonly source: ClusterSource;
  /** A table with more rows is refused. */
  readonly mostRows: number;
}

/** A table of the cluster at which a chain begins whose rows stay there. */
export interface Surveyed {
  readonly relation: Relation;
  readonly columns: readonly Column[];
  readonly rows: number;
  readonly notices: readonly string[];
}
