import type { ServiceLoad } from "../service/load.ts";
import { gauges } from "./gauges.ts";
import { family } from "./prometheus.ts";

/** Counts what the server does, for Prometheus. Labels come from our own routes and codes, never from a client. */
export interface Metrics {
  request(method: string, route: string, status: number, seconds: number): void;
  block(code: string, result: "done" | "failed" | "cancelled", seconds: number): void;
  /** A failed answer, by the code of its error, which is one of our own words. */
  failure(code: string): void;
  /** All counters, and how busy the service is, in Prometheus' text format. */
  text(load: ServiceLoad): string;
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300];

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** Fresh counters. */
export function createMetrics(): Metrics {
  const requests = new Map<string, number>();
  const durations = new Map<string, Histogram>();
  const blocks = new Map<string, number>();
  const failures = new Map<string, number>();
  const blockSeconds = new Map<string, Histogram>();
  return {
    request(method, route, status, seconds) {
      add(requests, labels({ method, route, status: String(status) }));
      observe(durations, labels({ method, route }), seconds);
    },
    block(code, result, seconds) {
      add(blocks, labels({ code, result }));
      observe(blockSeconds, labels({ code }), seconds);
    },
    failure: (code) => add(failures, labels({ code })),
    text(load) {
      const lines = [
        ...counter("blocklab_http_requests_total", "Requests answered, by route and status.", requests),
        ...histogram("blocklab_http_request_duration_seconds", "Time until a request was answered.", durations),
        ...counter("blocklab_blocks_total", "Block requests, by function code and result.", blocks),
        ...histogram(
          "blocklab_block_duration_seconds",
          "Time that block requests took, waiting included.",
          blockSeconds,
        ),
        ...counter("blocklab_failures_total", "Failed answers, by the code of their error.", failures),
        ...gauges(load),
      ];
      return `${lines.join("\n")}\n`;
    },
  };
}

function labels(pairs: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
  return Object.entries(pairs)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function observe(histograms: Map<string, Histogram>, key: string, seconds: number): void {
  const found = histograms.get(key) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 };
  histograms.set(key, found);
  found.sum += seconds;
  found.count += 1;
  bounds.forEach((bound, k) => {
    if (seconds <= bound) found.buckets[k] += 1;
  });
}

function counter(name: string, help: string, counts: ReadonlyMap<string, number>): string[] {
  return family(
    name,
    "counter",
    help,
    [...counts].map(([key, n]) => [`{${key}}`, n] as const),
  );
}

function histogram(name: string, help: string, histograms: ReadonlyMap<string, Histogram>): string[] {
  const samples = [...histograms].flatMap(([key, { buckets, sum, count }]) => [
    ...buckets.map((n, k) => [`_bucket{${key},le="${bounds[k]}"}`, n] as const),
    [`_bucket{${key},le="+Inf"}`, count] as const,
    [`_sum{${key}}`, sum] as const,
    [`_count{${key}}`, count] as const,
  ]);
  return family(name, "histogram", help, samples);
}
