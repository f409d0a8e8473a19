import { readFile } from "node:fs/promises";
import { type Caller, createService, type Service, type ServiceOptions } from "../service/index.ts";
import type { Link } from "./link.ts";
import { saveFile } from "./save-file.ts";

const scheme = "blocklab:///api/v1/artifacts/";
const uploads = "blocklab:///api/v1/engine/upload/";

/** How the user of this process calls artifacts: no server need run for them. */
const local: Caller = {
  owner: "local",
  url: (artifact) => `${scheme}${artifact}`,
  artifactIn: (url) => (url.startsWith(scheme) ? url.slice(scheme.length).split("?", 1)[0] : null),
  uploads: {
    url: (id) => `${uploads}${id}`,
    idIn: (url) => (url.startsWith(uploads) ? url.slice(uploads.length) : null),
  },
};

/** A link to a service in this process, over the user's own home folder. */
export async function embeddedLink(options: ServiceOptions): Promise<Link> {
  return new EmbeddedLink(await createService(options));
}

class EmbeddedLink implements Link {
  readonly where = "embedded";
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  createProject(name: string, description?: string) {
    return this.#service.createProject(local, name, description);
  }

  projects(name?: string) {
    return this.#service.projects(local, {}, name);
  }

  deleteProject(appId: string) {
    return this.#service.deleteProject(local, appId);
  }

  run(...[request, { signal, onProgress } = {}]: Parameters<Link["run"]>) {
    return this.#service.run(local, request, { signal, onProgress });
  }

  states(...[project, which]: Parameters<Link["states"]>) {
    return this.#service.states(local, project, which);
  }

  state(id: number) {
    return this.#service.state(local, id);
  }

  view(state: number) {
    return this.#service.view(local, state);
  }

  explain(state: number) {
    return this.#service.explain(local, state);
  }

  sql(state: number) {
    return this.#service.sql(local, state);
  }

  request(state: number) {
    return this.#service.request(local, state);
  }

  async upload({ name, content, project }: Parameters<Link["upload"]>[0]) {
    const file = { name, content: piecesOf(content), project };
    const { id } = await this.#service.library.upload(local, file, { mostBytes: Number.POSITIVE_INFINITY });
    return `${uploads}${id}`;
  }

  async table(...[url, part, options]: Parameters<Link["table"]>) {
    return await this.#service.table(local, local.artifactIn(url) ?? url, part, options);
  }

  batches(url: string) {
    return this.#service.batches(local, local.artifactIn(url) ?? url);
  }

  async columns(...[url, columns]: Parameters<Link["columns"]>) {
    return await this.#service.columns(local, local.artifactIn(url) ?? url, { columns });
  }

  async download(...[url, format]: Parameters<Link["download"]>) {
    const file = await this.#service.file(local, local.artifactIn(url) ?? url, format);
    return await readFile(file.path);
  }

  async save(...[url, format, path, options]: Parameters<Link["save"]>) {
    const artifact = local.artifactIn(url) ?? url;
    await saveFile(path, (whole) => this.#service.save(local, artifact, format, whole, options));
  }

  async functions() {
    return this.#service.functions();
  }

  close() {
    return this.#service.close();
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 2 ** 20) yield bytes.subarray(from, from + 2 ** 20);
}
