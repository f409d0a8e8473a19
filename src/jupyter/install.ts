import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ArgsError } from "../core/errors.ts";
import type { TypeCheck } from "../evaluator/types-protocol.ts";
import { logoPng, logoSvg } from "./logo.ts";

/** Where the kernelspec goes; one of them at most, `user` when none is given. */
export interface InstallOptions {
  /** Jupyter's folder of this user. */
  readonly user?: boolean;
  /** The active Python environment (virtualenv or conda). */
  readonly sysPrefix?: boolean;
  /** Any other folder that holds, or will hold, `share/jupyter`. */
  readonly prefix?: string;
  /** What type errors do in its cells (default "session"). */
  readonly types?: TypeCheck;
}

const kernelName = "blocklab";

type Environment = Readonly<Record<string, string | undefined>>;

/** Jupyter's data folder of this user, as Jupyter itself finds it. */
export function jupyterDataDir(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (env.JUPYTER_DATA_DIR) return env.JUPYTER_DATA_DIR;
  if (platform === "darwin") return join(home, "Library", "Jupyter");
  if (platform === "win32") return join(env.APPDATA || join(home, "AppData", "Roaming"), "jupyter");
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "jupyter");
}

/** The folder of the kernelspec. Refuses options that contradict each other. */
export function kernelSpecDir(options: InstallOptions = {}, env: Environment = process.env): string {
  const given = [options.user && "--user", options.sysPrefix && "--sys-prefix", options.prefix && "--prefix"];
  const chosen = given.filter(Boolean);
  if (chosen.length > 1)
    throw new ArgsError(`kernel install: ${chosen.join(" and ")} exclude each other. Give one of them.`);
  if (options.prefix) return join(resolve(options.prefix), "share", "jupyter", "kernels", kernelName);
  if (!options.sysPrefix) return join(jupyterDataDir(env), "kernels", kernelName);
  const prefix = env.VIRTUAL_ENV || env.CONDA_PREFIX;
  if (!prefix) {
    throw new ArgsError(
      "kernel install: --sys-prefix needs an active Python environment, and neither VIRTUAL_ENV nor CONDA_PREFIX is set. Activate one, or use --user or --prefix DIR.",
    );
  }
  return join(prefix, "share", "jupyter", "kernels", kernelName);
}

/**
 * What the kernel's Node is started with.
 *
 * A loop in a timer's callback is stopped by ending all JavaScript at once, Node's own included, which then finds
 * its bookkeeping of async contexts one step off. By default it aborts the process for that.
 */
export const nodeFlags = ["--no-force-async-hooks-checks"];

/** The content of kernel.json: this Node starts this copy of blocklab. */
export function kernelSpec(types: TypeCheck = "session"): Record<string, unknown> {
  const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
  return {
    argv: [
      process.execPath,
      ...nodeFlags,
      cli,
      "kernel",
      "start",
      "{connection_file}",
      ...(types === "session" ? [] : ["--types", types]),
    ],
    display_name: "TypeScript (blocklab)",
    language: "typescript",
    interrupt_mode: "message",
    metadata: { debugger: false },
  };
}

/** Writes the kernelspec, over an older one of its own; answers its folder. */
export async function installKernel(options: InstallOptions = {}): Promise<string> {
  const dir = kernelSpecDir(options);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, "logo-svg.svg"), logoSvg);
  for (const size of [32, 64]) await writeFile(join(dir, `logo-${size}x${size}.png`), await logoPng(size));
  // Last, because Jupyter lists a folder as soon as this file is in it.
  await writeFile(join(dir, "kernel.json"), `${JSON.stringify(kernelSpec(options.types), null, 2)}\n`);
  return dir;
}

/** Removes the kernelspec; answers its folder, or null when none was there. */
export async function uninstallKernel(options: InstallOptions = {}): Promise<string | null> {
  const dir = kernelSpecDir(options);
  if (!existsSync(join(dir, "kernel.json"))) return null;
  await rm(dir, { recursive: true });
  return dir;
}
