import type { Completion, Completions } from "../evaluator/evaluator.ts";
import { type CommandRoom, commands } from "./commands.ts";

/** Completes a `:` command's name, or what it takes. */
export async function completeCommand(line: string, cursor: number, room: CommandRoom): Promise<Completions> {
  const [, name, blank, typed] = /^:(\w*)(\s*)(.*)$/s.exec(line.slice(0, cursor)) ?? ["", "", "", ""];
  if (blank === "") {
    const items = Object.entries(commands).map(([each, { does }]) => ({ text: each, kind: "command", docs: does }));
    return { start: 1, end: cursor, items: beginning(items, name) };
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const items = (await command?.complete?.(room, typed)) ?? [];
  return { start: cursor - typed.length, end: cursor, items: beginning(items, typed) };
}

function beginning(items: readonly Completion[], typed: string): Completion[] {
  return items.filter((item) => item.text.startsWith(typed));
}
