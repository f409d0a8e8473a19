import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

/** A certificate chain with its private key, both in PEM. */
export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The certificate and its key, read and tried out before anything is started. */
export function tlsFrom(certFile: string | undefined, keyFile: string | undefined): Tls | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const missing = certFile === undefined ? "--tls-cert" : "--tls-key";
    throw new ArgsError(`HTTPS needs --tls-cert and --tls-key, and ${missing} is not given.`, {
      path: missing.slice(2),
    });
  }
  const tls = { cert: readPem("tls-cert", certFile), key: readPem("tls-key", keyFile) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new ArgsError(
      `--tls-cert and --tls-key must be a certificate chain and the private key to it, in PEM without a passphrase; ${quoted(certFile)} and ${quoted(keyFile)} are not (${(error as Error).message}).`,
      { path: "tls-cert" },
      { cause: error },
    );
  }
  return tls;
}

function readPem(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ArgsError(`--${option} names ${quoted(file)}, which can't be read (${code}).`, {
      path: option,
      got: file,
    });
  }
}
