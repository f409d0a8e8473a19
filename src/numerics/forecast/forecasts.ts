/** What a method foresees, and how it came to it. */
export type Forecast = {
  /** What the method fitted, such as "ETS(M,Ad,M)". */
  readonly model: string;
  /** The expected value of each step ahead, and the interval that it lies in with probability `level`. */
  readonly mean: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** What the model expected of each step of the series one step before; NaN where it could not. */
  readonly fitted: Float64Array;
  /** The fitted numbers by name, for those who want to know. */
  readonly parameters: Readonly<Record<string, number>>;
  /** Akaike's criterion, corrected; null for a method that has no likelihood. */
  readonly aicc: number | null;
};

/** What a method is asked. */
export type ForecastInput = {
  /** The series, complete, its steps evenly spaced. */
  readonly y: Float64Array;
  /** Steps of a season, 1 for none. */
  readonly season: number;
  /** Steps ahead. */
  readonly horizon: number;
  /** The probability of an interval, 0 to 1. */
  readonly level: number;
};
