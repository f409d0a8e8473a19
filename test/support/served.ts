import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type ServeOptions, type Serving, serve } from "../../src/server/serve.ts";

/** A failed or successful answer, with its status. */
export interface Answered<T = Record<string, unknown>> {
  readonly http: number;
  readonly status: string;
  readonly message: T;
  readonly error?: Readonly<Record<string, unknown>>;
}

/** A real service over HTTP in a home of its own; stopped and cleared away when the file's tests are done. */
export class Served {
  readonly home = mkdtempSync(join(tmpdir(), "blocklab-served-"));
  readonly serving: Promise<Serving>;
  #projects = 0;

  constructor(options: Partial<ServeOptions> = {}) {
    this.serving = quietly({ port: 0, home: this.home, key: "served", threads: 0, ...options });
    afterAll(async () => {
      await (await this.serving).close();
      rmSync(this.home, { recursive: true, force: true });
    });
  }

  /** Sends a request; the path may be a whole URL of the service's own. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const { url } = await this.serving;
    const headers = { "x-svc-key": "served", ...(init.headers as Record<string, string>) };
    return await fetch(path.startsWith("/") ? `${url}${path}` : path, { ...init, headers });
  }

  /** Sends JSON, and reads JSON. */
  async ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answered<T>> {
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await this.fetch(path, { method, ...(body === undefined ? {} : json) });
    return { http: answer.status, ...((await answer.json()) as Omit<Answered<T>, "http">) };
  }

  /** Makes a project and answers its id. */
  async project(): Promise<number> {
    const { message } = await this.ask("POST", "/api/v1/project", { project_name: `p${++this.#projects}` });
    return message.id as number;
  }

  /** Runs one block. */
  async block(
    project: number,
    id: number,
    parent: number | null,
    code: string,
    args: Readonly<Record<string, unknown>> = {},
  ): Promise<Answered> {
    const request = { project_id: project, block_id: id, parent_id: parent, function_code: code, args };
    return await this.ask("POST", "/api/v1/engine/start", request);
  }

  /** Uploads a file and answers its URL. */
  async upload(content: string | Uint8Array<ArrayBuffer>, name: string): Promise<string> {
    const form = new FormData();
    form.append("file", new Blob([content]), name);
    const answer = await this.fetch("/api/v1/engine/upload", { method: "POST", body: form });
    return ((await answer.json()) as { message: { url: string } }).message.url;
  }
}

/** Starts a service without its line on the tests' own output. */
/** Starts a service without its line on stdout. */
export async function quietly(options: ServeOptions): Promise<Serving> {
  const write = process.stdout.write;
  process.stdout.write = (() => true) as typeof write;
  try {
    return await serve(options);
  } finally {
    process.stdout.write = write;
  }
}
