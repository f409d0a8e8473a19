import type { RecordBatch } from "apache-arrow";
import type { Response } from "./execution.ts";

/** How one plan is worked out. */
export interface RunOptions {
  /** Stops the work, here and on the server. */
  readonly signal?: AbortSignal | undefined;
  /** Names by which it can be interrupted with others. */
  readonly tags?: readonly string[];
  readonly onProgress?: (progress: SparkProgress) => void;
}

/** How far the server is, of the stages that it has begun so far. */
export interface SparkProgress {
  readonly stages: number;
  readonly stagesDone: number;
  readonly tasks: number;
  readonly tasksDone: number;
  readonly tasksRunning: number;
  readonly bytesRead: number;
}

/** What one operator of the physical plan counted, such as { name: "Range", values: { "number of output rows": 10 } }. */
export interface SparkMetric {
  readonly name: string;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * The rows of one run, as batches of Arrow, in the server's order.
 *
 * They are worked out when they are read, anew each time. Batches are taken from the server as they are read, a few
 * ahead, so that a table of any length is in memory a few batches at a time.
 */
export class SparkRows implements AsyncIterable<RecordBatch> {
  readonly #responses: (count: () => number) => AsyncIterable<Response>;
  readonly #options: RunOptions;
  #metrics: readonly SparkMetric[] = [];
  #count = 0;

  /** Made by `SparkClient.rows`. */
  constructor(responses: (count: () => number) => AsyncIterable<Response>, options: RunOptions) {
    this.#responses = responses;
    this.#options = options;
  }

  /** How many rows were read so far. */
  get count(): number {
    return this.#count;
  }

  /** What the operators counted; there once all rows were read. */
  get metrics(): readonly SparkMetric[] {
    return this.#metrics;
  }

  /** The batches; the first one is always there, since its schema tells the columns. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RecordBatch, void, undefined> {
    const { RecordBatch: Batch, RecordBatchReader } = await import("apache-arrow");
    for await (const bytes of this.bytes()) {
      const reader = RecordBatchReader.from(bytes);
      const batches = reader.readAll();
      if (batches.length > 0) yield* batches;
      else yield new Batch(reader.schema);
    }
  }

  /** The bytes of the batches, each an Arrow IPC stream with one batch, for whoever reads Arrow by other means. */
  async *bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    this.#count = 0;
    for await (const response of this.#responses(() => this.#count)) {
      tellProgress(response, this.#options);
      if (response.metrics?.metrics) this.#metrics = response.metrics.metrics.map(metricOf);
      const { data, row_count = 0n } = response.arrow_batch ?? {};
      if (!data) continue;
      yield data;
      this.#count += Number(row_count);
    }
  }
}

/** Tells what a response says of how far the server is. */
export function tellProgress({ execution_progress: progress }: Response, { onProgress }: RunOptions): void {
  if (!progress || !onProgress) return;
  const { stages = [], num_inflight_tasks = 0n } = progress;
  const sum = (each: (stage: (typeof stages)[number]) => bigint | undefined) =>
    Number(stages.reduce((all, stage) => all + (each(stage) ?? 0n), 0n));
  onProgress({
    stages: stages.length,
    stagesDone: stages.filter(({ done }) => done).length,
    tasks: sum(({ num_tasks }) => num_tasks),
    tasksDone: sum(({ num_completed_tasks }) => num_completed_tasks),
    tasksRunning: Number(num_inflight_tasks),
    bytesRead: sum(({ input_bytes_read }) => input_bytes_read),
  });
}

type MetricMessage = NonNullable<NonNullable<Response["metrics"]>["metrics"]>[number];

function metricOf({ name = "", execution_metrics = [] }: MetricMessage): SparkMetric {
  const values = execution_metrics.map(({ key = "", value }) => [value?.name || key, Number(value?.value ?? 0n)]);
  return { name, values: Object.fromEntries(values) };
}
