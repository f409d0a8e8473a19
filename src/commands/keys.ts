import { resolve } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { defaultHome } from "../core/home.ts";
import { openKeys } from "../store/keys.ts";
import { readOptions } from "./options.ts";

/** `blocklab keys create [LABEL] · list · revoke ID`: who may use the service. */
export async function keysCommand(words: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions("keys", words, { home: { type: "string" } });
  const [action, subject] = positionals;
  const keys = openKeys(resolve(values.home ?? defaultHome()));
  try {
    if (action === "create") {
      const made = keys.create(subject ?? "");
      process.stdout.write(`${made.key}\n`);
      process.stderr.write(`Key ${made.id}. It is shown this once; send it as X-SVC-KEY.\n`);
      return 0;
    }
    if (action === "list") {
      for (const key of keys.list()) {
        process.stdout.write(
          `${key.id}  ${key.created_at}  ${key.revoked_at ? `revoked ${key.revoked_at}` : "valid"}  ${JSON.stringify(key.label)}\n`,
        );
      }
      return 0;
    }
    if (action === "revoke" && subject) {
      if (keys.revoke(subject)) return 0;
      throw new ArgsError(
        `blocklab keys: no valid key has the id ${JSON.stringify(subject)}; "blocklab keys list" shows all.`,
      );
    }
    throw new ArgsError("blocklab keys takes create [LABEL], list, or revoke ID.");
  } finally {
    keys.close();
  }
}
