import { accessSync, constants, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text, type View } from "../core/view.ts";
import { defaultHome } from "../index.ts";
import { jupyterDataDir, kernelSpecDir } from "../kernel/install.ts";
import { version } from "./help.ts";

interface Finding {
  readonly what: string;
  readonly state: string;
  /** What to do about it; absent when all is well. */
  readonly cure?: string;
}

/** `blocklab doctor`: what is installed where, what is missing, and the cure. */
export async function doctorCommand(): Promise<number> {
  const findings = await examine();
  process.stdout.write(`${findings.map(told).join("\n")}\n`);
  return findings.some((finding) => finding.cure) ? 1 : 0;
}

/** What `blocklab doctor` says, for the prompt. */
export async function doctorView(): Promise<View> {
  return text((await examine()).map(told).join("\n"));
}

async function examine(): Promise<Finding[]> {
  return [blocklab(), node(), home(), await tables(), kernel(), service()];
}

function told({ what, state, cure }: Finding): string {
  const line = `${cure ? "✗" : "✓"} ${what.padEnd(14)} ${state}`;
  return cure ? `${line}\n  ${" ".repeat(14)} ${cure}` : line;
}

function blocklab(): Finding {
  return { what: "blocklab", state: version() };
}

function node(): Finding {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const state = `${process.versions.node} at ${process.execPath}`;
  const isEnough = major > 22 || (major === 22 && minor >= 19);
  return { what: "Node", state, ...(isEnough ? {} : { cure: "Install Node 22.19 or newer." }) };
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

async function tables(): Promise<Finding> {
  try {
    const { version: duckdb } = await import("@duckdb/node-api");
    return { what: "table engine", state: `DuckDB ${duckdb()}` };
  } catch (error) {
    return {
      what: "table engine",
      state: error instanceof Error ? error.message : String(error),
      cure: "Run npm ci again for this platform.",
    };
  }
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
