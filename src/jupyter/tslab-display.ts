import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { type NotebookWriter, notebookWriter } from "../core/notebook-writer.ts";
import { harmless } from "../core/visible.ts";

/**
 * What `import * as tslab from "tslab"` answers to a cell: tslab's own interface, over this process's kernel.
 *
 * tslab's own module would show nothing here, since it writes to a kernel of tslab, which doesn't run.
 */
export interface Display {
  javascript(text: string): void;
  html(text: string): void;
  markdown(text: string): void;
  latex(text: string): void;
  svg(text: string): void;
  png(bytes: Uint8Array): void;
  jpeg(bytes: Uint8Array): void;
  gif(bytes: Uint8Array): void;
  pdf(bytes: Uint8Array): void;
  text(text: string): void;
  raw(contentType: string, content: string | Uint8Array): void;
}

function displayOf(id?: string): Display {
  let isShown = false;
  const raw = (contentType: string, content: string | Uint8Array): void => {
    const write = (globalThis as { [notebookWriter]?: NotebookWriter })[notebookWriter];
    if (write) {
      const transient = id === undefined ? {} : { display_id: id };
      write({ data: { [contentType]: content }, metadata: {}, transient }, isShown && id !== undefined);
      isShown = true;
    } else {
      // At the prompt and in scripts there is nothing that could show more.
      const shown = typeof content === "string" ? content : `[${contentType}, ${content.length} bytes]`;
      process.stdout.write(`${harmless(shown)}\n`);
    }
  };
  const as = (contentType: string) => (content: string | Uint8Array) => raw(contentType, content);
  return {
    javascript: as("text/javascript"),
    html: as("text/html"),
    markdown: as("text/markdown"),
    latex: as("text/latex"),
    svg: as("image/svg+xml"),
    png: as("image/png"),
    jpeg: as("image/jpeg"),
    gif: as("image/gif"),
    pdf: as("application/pdf"),
    text: as("text/plain"),
    raw,
  };
}

/** Shows rich content below the running cell. */
export const display: Display = displayOf();

/** A display of its own, whose content each call replaces. */
export function newDisplay(): Display {
  return displayOf(randomBytes(8).toString("hex"));
}

/** The versions of tslab's interface, of TypeScript and of Node. */
export const versions = {
  tslab: "1.0.22",
  get typescript(): string {
    return (createRequire(import.meta.url)("typescript/package.json") as { version: string }).version;
  },
  node: process.version,
};
