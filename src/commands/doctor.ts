import { accessSync, constants, existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { messageOf } from "../core/errors.ts";
import { defaultHome } from "../core/home.ts";
import { count } from "../core/names.ts";
import { whyTooOld } from "../core/needs-node.ts";
import { text, type View } from "../core/view.ts";
import { jupyterDataDir, kernelSpecDir } from "../jupyter/install.ts";
import { quarantined } from "../store/sweep.ts";
import { version } from "./help.ts";

interface Finding {
  readonly what: string;
  readonly state: string;
  /** What to do about it; absent when all is well. */
  readonly cure?: string;
  /** Much works without it, so its lack is no failure. */
  readonly isOptional?: boolean;
}

/** `blocklab doctor`: what is installed where, what is missing, and the cure. */
export async function doctorCommand(): Promise<number> {
  const findings = await examine();
  process.stdout.write(`${findings.map(told).join("\n")}\n`);
  return findings.some((finding) => finding.cure && !finding.isOptional) ? 1 : 0;
}

/** What `blocklab doctor` says, for the prompt. */
export async function doctorView(): Promise<View> {
  return text((await examine()).map(told).join("\n"));
}

async function examine(): Promise<Finding[]> {
  return [blocklab(), node(), home(), ...quarantine(), await tables(), await sockets(), kernel(), jupyter(), service()];
}

function told({ what, state, cure, isOptional }: Finding): string {
  const line = `${cure ? (isOptional ? "○" : "✗") : "✓"} ${what.padEnd(14)} ${state}`;
  return cure ? `${line}\n  ${" ".repeat(14)} ${cure}` : line;
}

function blocklab(): Finding {
  return { what: "blocklab", state: version() };
}

function node(): Finding {
  const state = `${process.versions.node} at ${process.execPath}`;
  const why = whyTooOld(process.versions.node);
  return { what: "Node", state, ...(why ? { cure: why } : {}) };
}

function home(): Finding {
  const folder = defaultHome();
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return { what: "data folder", state: folder };
  } catch {
    return {
      what: "data folder",
      state: `${folder} can't be written`,
      cure: "Set BLOCKLAB_HOME to a folder of yours.",
    };
  }
}

/** Said only where there is something. */
function quarantine(): Finding[] {
  const folder = join(defaultHome(), "quarantine");
  const { files, bytes } = quarantined(defaultHome());
  if (files === 0) return [];
  return [
    {
      what: "quarantine",
      state: `${count(files, "file")}, ${(bytes / 1e6).toFixed(1)} MB, of which the database doesn't know, in ${folder}`,
      cure: "Put the right blocklab.db back, and they return at the next start; or delete the folder.",
      isOptional: true,
    },
  ];
}

async function tables(): Promise<Finding> {
  try {
    const { version: duckdb } = await import("@duckdb/node-api");
    return { what: "table engine", state: `DuckDB ${duckdb()}` };
  } catch (error) {
    return {
      what: "table engine",
      state: messageOf(error),
      cure: "Run npm ci again for this platform.",
    };
  }
}

/** The kernel's sockets come with native code. */
async function sockets(): Promise<Finding> {
  try {
    const { loadZeromq } = await import("../jupyter/tslab.ts");
    return { what: "ZeroMQ", state: `${loadZeromq().version}, for the Jupyter kernel` };
  } catch (error) {
    return {
      what: "ZeroMQ",
      state: error instanceof Error ? error.message.split("\n", 1)[0] : String(error),
      cure: "Run npm rebuild zeromq; without it there is no Jupyter kernel.",
    };
  }
}

/** Jupyter itself, as the shell would find it. */
function jupyter(): Finding {
  const environment = process.env.VIRTUAL_ENV;
  const folders = [
    ...(environment ? [join(environment, "bin"), join(environment, "Scripts")] : []),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  const names = ["jupyter", "jupyter.exe"];
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find((file) => existsSync(file));
  if (found) return { what: "Jupyter", state: found };
  return {
    what: "Jupyter",
    state: "not on the PATH; only notebooks in JupyterLab need it",
    cure: "Run pip install jupyterlab, or open notebooks in an editor that brings its own.",
    isOptional: true,
  };
}

function kernel(): Finding {
  const places = [
    kernelSpecDir({ user: true }),
    ...(process.env.VIRTUAL_ENV ? [kernelSpecDir({ sysPrefix: true })] : []),
  ];
  const found = places.find((place) => existsSync(join(place, "kernel.json")));
  if (!found) {
    return {
      what: "Jupyter kernel",
      state: `not found under ${jupyterDataDir()}`,
      cure: "Run blocklab kernel install --user (or --sys-prefix inside an environment).",
    };
  }
  const { argv } = JSON.parse(readFileSync(join(found, "kernel.json"), "utf8")) as { argv: string[] };
  const lost = [argv[0], ...argv.filter((word) => word.endsWith("cli.js"))].find((file) => !existsSync(file));
  return {
    what: "Jupyter kernel",
    state: found,
    ...(lost ? { cure: `It starts ${lost}, which is gone; run blocklab kernel install again.` } : {}),
  };
}

function service(): Finding {
  const url = process.env.BLOCKLAB_URL;
  if (!url) return { what: "service", state: "in this process (BLOCKLAB_URL is not set)" };
  return {
    what: "service",
    state: url,
    ...(process.env.BLOCKLAB_KEY ? {} : { cure: "Set BLOCKLAB_KEY to a key of that service." }),
  };
}
