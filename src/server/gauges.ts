import type { ServiceLoad } from "../service/load.ts";
import { family } from "./prometheus.ts";

/** How the service is at this moment, in Prometheus' text format; sizes in bytes, times in seconds. */
export function gauges({ blocks, workers, disk, memoryLimit }: ServiceLoad): string[] {
  const { user, system } = process.cpuUsage();
  return [
    ...family("blocklab_blocks_running", "gauge", "Blocks that run now.", [["", blocks.running]]),
    ...family("blocklab_blocks_waiting", "gauge", "Blocks that wait for their turn.", [["", blocks.waiting]]),
    ...family("blocklab_blocks_running_limit", "gauge", "Blocks that may run side by side (--blocks).", [
      ["", blocks.limits.atOnce],
    ]),
    ...family("blocklab_blocks_waiting_limit", "gauge", "Blocks that may wait (--queue); one more is a 503.", [
      ["", blocks.limits.waiting],
    ]),
    ...family("blocklab_block_wait_seconds", "summary", "Time that blocks waited for their turn.", [
      ["_sum", blocks.waitedSeconds],
      ["_count", blocks.given],
    ]),
    ...family("blocklab_workers", "gauge", "Threads that compute models, by what they do.", [
      ['{state="busy"}', workers.busy],
      ['{state="idle"}', workers.idle],
    ]),
    ...family("blocklab_worker_jobs_waiting", "gauge", "Parts of running blocks that wait for such a thread.", [
      ["", workers.waiting],
    ]),
    ...family("blocklab_disk_used_bytes", "gauge", "What all keys' artifacts and uploads take on disk.", [
      ["", disk.used],
    ]),
    ...family("blocklab_disk_used_by_fullest_key_bytes", "gauge", "What the key that has most takes on disk.", [
      ["", disk.fullest],
    ]),
    ...(disk.quota === null
      ? []
      : family("blocklab_disk_quota_bytes", "gauge", "What each key may have on disk (--quota).", [["", disk.quota]])),
    ...family("blocklab_disk_free_bytes", "gauge", "What is left on the disk of the data.", [["", disk.free]]),
    ...(memoryLimit === null
      ? []
      : family("blocklab_memory_limit_bytes", "gauge", "What running blocks may take (--memory-limit).", [
          ["", memoryLimit],
        ])),
    ...family(
      "blocklab_event_loop_busy_seconds_total",
      "counter",
      "Time that the thread which serves requests was at work; at a rate near 1 all of them wait for it.",
      [["", performance.eventLoopUtilization().active / 1000]],
    ),
    ...family("process_cpu_seconds_total", "counter", "Processor time of all threads.", [["", (user + system) / 1e6]]),
    ...family("process_resident_memory_bytes", "gauge", "Memory that the process holds.", [
      ["", process.memoryUsage.rss()],
    ]),
    ...family("process_start_time_seconds", "gauge", "When the process began, in Unix time.", [
      ["", performance.timeOrigin / 1000],
    ]),
  ];
}
