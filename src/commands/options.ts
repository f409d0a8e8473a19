import { type ParseArgsConfig, parseArgs } from "node:util";
import { ArgsError, messageOf } from "../core/errors.ts";
import { didYouMean, quoted } from "../core/names.ts";

type Config = NonNullable<ParseArgsConfig["options"]>;

/** Reads a command's options; an unknown one is answered with the nearest, in one sentence. */
export function readOptions<const O extends Config>(command: string, words: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = messageOf(error);
    const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
    if (unknown) {
      const known = Object.keys(options).map((name) => `--${name}`);
      throw new ArgsError(
        `blocklab ${command} has no option ${quoted(unknown)}.${didYouMean(unknown, known)} Options: ${known.join(", ") || "none"}.`,
      );
    }
    throw new ArgsError(`blocklab ${command}: ${message.split(". ", 1)[0].replace(/\.?$/, ".")}`);
  }
}

/** A whole number given as an option's text. */
export function wholeNumber(command: string, option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new ArgsError(
    `blocklab ${command}: --${option} must be a whole number from ${least} to ${most}, got ${quoted(text)}.`,
  );
}
