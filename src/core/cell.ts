/** A cell as it travels to a front end: JSON, datetimes as ISO text, integers beyond 2^53 as text. */
export type Cell = string | number | boolean | null;
