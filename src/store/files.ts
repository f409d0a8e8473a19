import { createHash, hash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const idPattern = /^[A-Za-z0-9_-]{22}$/;

/** The forms in which an artifact may lie beside itself. */
export const formats = ["csv", "json", "parquet", "arrow", "npy", "onnx", "onnx-chain"] as const;

/** Is the text an artifact id? Anything else must not come near a path. */
export function isArtifactId(text: string): boolean {
  return idPattern.test(text);
}

/** A fresh artifact id; 128 random bits, so that it can't be guessed. */
export function newArtifactId(): string {
  return randomBytes(16).toString("base64url");
}

/** The files of artifacts or uploads: written under a temporary name, flushed, then renamed; never changed after. */
export class Files {
  readonly folder: string;
  /** The name of the process that writes. */
  readonly process: string;

  constructor(folder: string, process: string) {
    this.folder = folder;
    this.process = process;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Where an artifact's file lies, in one of its formats. */
  path(id: string, format = ""): string {
    if (!isArtifactId(id)) throw new Error(`${JSON.stringify(id)} is no artifact id`);
    return join(this.folder, format ? `${id}.${format}` : id);
  }

  /** Is the file there? */
  has(id: string, format = ""): boolean {
    return existsSync(this.path(id, format));
  }

  /** A temporary path; its name carries the process, so that a later start can tell what was left behind. */
  temporary(): string {
    return join(this.folder, `tmp-${this.process}-${newArtifactId()}`);
  }

  /** Flushes a temporary file and gives it its final name. */
  async keep(temporary: string, id: string, format = ""): Promise<void> {
    await flush(temporary);
    await rename(temporary, this.path(id, format));
  }

  /** Removes an artifact's file in all formats. */
  async remove(id: string): Promise<void> {
    for (const format of ["", ...formats]) {
      // A look costs a tenth of what `rm` does for a file that isn't there.
      if (this.has(id, format)) await rm(this.path(id, format), { force: true });
    }
  }
}

/** Waits until a file is on the disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Large pieces, so that there are few trips to the disk. */
const pieceBytes = 1 << 20;

/** SHA-256 of a file, in hex. */
export async function digest(path: string): Promise<string> {
  if ((await stat(path)).size <= pieceBytes) return hash("sha256", await readFile(path));
  const sum = createHash("sha256");
  const file = await open(path);
  try {
    // One piece is read while the other is added. A stream takes a quarter longer, in fresh memory for each piece.
    let [piece, next] = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
    let reading = file.read(piece, 0, pieceBytes);
    while (true) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) break;
      reading = file.read(next, 0, pieceBytes);
      sum.update(piece.subarray(0, bytesRead));
      [piece, next] = [next, piece];
    }
  } finally {
    await file.close();
  }
  return sum.digest("hex");
}
