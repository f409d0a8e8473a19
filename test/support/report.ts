import type { Reporter, TestModule } from "vitest/node";

/** What a full run says at its end: the twenty files that took longest, and that a skipped test is a failure. */
export class FullRun implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = (module: TestModule) => (module.diagnostic().duration + module.diagnostic().collectDuration) / 1000;
    const slowest = [...modules].sort((a, b) => seconds(b) - seconds(a)).slice(0, 20);
    const lines = slowest.map((module) => `${seconds(module).toFixed(1).padStart(7)} s  ${module.relativeModuleId}`);
    process.stdout.write(`\nThe slowest files:\n${lines.join("\n")}\n`);
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    if (skipped.length === 0) return;
    const names = skipped.map((each) => `  ${each.module.relativeModuleId}: ${each.fullName}`);
    process.stdout.write(`\n${skipped.length} tests were skipped, and here all must run:\n${names.join("\n")}\n`);
    process.exitCode = 1;
  }
}
