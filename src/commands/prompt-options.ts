import { join } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { defaultHome } from "../core/home.ts";
import { quoted } from "../core/names.ts";
import { type Graphics, graphicsKinds, graphicsOf } from "../render/graphics-kinds.ts";
import type { Pictures, TextOptions } from "../render/index.ts";
import type { TerminalAnswers } from "../repl/terminal-answers.ts";
import type { WorkbenchOptions } from "./workbench.ts";

/** What the prompt is started with, whoever starts it; what shows values is loaded when there is one. */
export function promptOptions({ graphics, isSpoken }: { graphics: string | undefined; isSpoken: boolean }) {
  const wanted = isSpoken ? "none" : graphicsFor(graphics);
  return {
    isSpoken,
    asksTerminal: (wanted === null || wanted === "sixel") && process.env.TERM !== "dumb",
    show: async (value: unknown, options: TextOptions, told: TerminalAnswers) =>
      await (await import("./show.ts")).show(value, options, picturesBy(wanted, told)),
    doctor: async () => await (await import("./doctor.ts")).doctorView(),
    home: defaultHome(),
    historyFile: join(defaultHome(), "history"),
  };
}

/** Opens what cells run on, which is loaded behind the prompt; cells import from `cwd`. */
export function openBehind(cwd?: string) {
  return async (options: WorkbenchOptions) =>
    await (await import("./workbench.ts")).openWorkbench(cwd === undefined ? options : { ...options, cwd });
}

/** How pictures are shown: as the option says, else as the terminal says of itself; null when it has to be asked. */
function graphicsFor(option: string | undefined): Graphics | "none" | null {
  if (option === undefined) return graphicsOf(process.env);
  const found = [...graphicsKinds, "none" as const].find((kind) => kind === option);
  if (found) return found;
  throw new ArgsError(`blocklab: --graphics must be kitty, iterm, sixel or none, got ${quoted(option)}.`);
}

/** How pictures go to a terminal that told this of itself; null for none. */
function picturesBy(wanted: Graphics | "none" | null, told: TerminalAnswers): Pictures | null {
  const graphics = wanted ?? (told.sixel ? "sixel" : "none");
  if (graphics === "none") return null;
  return { graphics, ...(told.columnPixels === null ? {} : { columnPixels: told.columnPixels }) };
}
