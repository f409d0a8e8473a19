import { ArgsError } from "../core/errors.ts";
import { didYouMean, quoted } from "../core/names.ts";
import type { TypeCheck } from "../evaluator/types-protocol.ts";
import { installKernel, kernelSpecDir, uninstallKernel } from "../jupyter/install.ts";
import { runKernel } from "../jupyter/kernel.ts";
import { progressBar } from "../jupyter/progress.ts";
import { readOptions } from "./options.ts";
import { openWorkbench } from "./workbench.ts";

const typeChecks = ["session", "all", "off"] as const;

function typeCheck(word: string): TypeCheck {
  const found = typeChecks.find((each) => each === word);
  if (found) return found;
  const near = didYouMean(word, typeChecks);
  throw new ArgsError(`blocklab kernel: --types must be session, all or off, got ${quoted(word)}.${near}`);
}

/** `blocklab kernel install · uninstall · start FILE`: the Jupyter kernel. */
export async function kernelCommand(words: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions("kernel", words, {
    user: { type: "boolean", default: false },
    "sys-prefix": { type: "boolean", default: false },
    prefix: { type: "string" },
    types: { type: "string", default: "session" },
  });
  const [action, file] = positionals;
  const types = typeCheck(values.types);
  const where = { user: values.user, sysPrefix: values["sys-prefix"], prefix: values.prefix };
  if (action === "install") {
    process.stdout.write(
      `Installed the kernel "TypeScript (blocklab)" in ${await installKernel({ ...where, types })}\n`,
    );
    return 0;
  }
  if (action === "uninstall") {
    const removed = await uninstallKernel(where);
    process.stdout.write(removed ? `Removed ${removed}\n` : `No kernel is installed in ${kernelSpecDir(where)}\n`);
    return 0;
  }
  if (action === "start" && file) {
    return await runKernel(file, async (io) => {
      const bench = await openWorkbench({
        onOutput: io.onOutput,
        onClear: () => io.clearOutput(),
        check: types,
      });
      bench.session.onProgress(progressBar(io));
      return {
        evaluator: bench.evaluator,
        display: bench.display,
        banner: 'blocklab: session.input("sample:penguins"), or help()',
        close: bench.close,
      };
    });
  }
  throw new ArgsError("blocklab kernel takes install, uninstall, or start CONNECTION_FILE.");
}
