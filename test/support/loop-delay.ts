import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * The longest time, in milliseconds, for which this thread could not serve another request while it works.
 *
 * The machine may be busy with other tests: what the thread waited for a processor is left out by its share.
 */
export async function loopDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.enable();
  const [before, cpu] = [performance.eventLoopUtilization(), process.threadCpuUsage()];
  await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  const { user, system } = process.threadCpuUsage(cpu);
  const busyMs = performance.eventLoopUtilization(before).active;
  return (delay.max / 1e6) * Math.min(1, (user + system) / 1000 / busyMs);
}
