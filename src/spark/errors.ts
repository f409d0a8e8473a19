/** What a program needs to know of a failure beyond its sentence. */
export interface SparkErrorDetail {
  /**
   * Spark's error class, such as TABLE_OR_VIEW_NOT_FOUND, or one of the client's own: BAD_ADDRESS, UNREACHABLE,
   * NO_ANSWER, NOT_SPARK, OLD_SERVER, ACCESS_DENIED, CERTIFICATE, SESSION_LOST, SERVER_GONE, TOO_LARGE, FAILED.
   */
  readonly code: string;
  /** The five letters of SQL's standard, where Spark says them. */
  readonly sqlState?: string | undefined;
  /** What Spark puts into its sentence, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A failure of Spark, or on the way to it, as one sentence. */
export class SparkError extends Error {
  readonly code: string;
  readonly sqlState: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;

  constructor(message: string, { code, sqlState, parameters = {} }: SparkErrorDetail, options?: ErrorOptions) {
    super(message, options);
    this.name = "SparkError";
    this.code = code;
    this.sqlState = sqlState;
    this.parameters = parameters;
  }
}
