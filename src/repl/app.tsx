import { Box, type Key, Text, useApp, useInput, usePaste, useStdout, useWindowSize } from "ink";
import { useEffect, useSyncExternalStore } from "react";
import { highlight, type Token } from "./highlight.ts";
import type { KeyPress } from "./keys.ts";
import type { Menu, Prompt, PromptState } from "./prompt.ts";

const colours: Readonly<Record<Token["kind"], string | undefined>> = {
  plain: undefined,
  keyword: "magenta",
  string: "green",
  number: "yellow",
  comment: "gray",
};

/** How many entries of a menu show at once. */
const menuRows = 8;

/** The live part of the screen: what is typed, the menu, progress and the status line. */
export function App({ prompt, onPrinter }: { prompt: Prompt; onPrinter: (print: (text: string) => void) => void }) {
  const state = useSyncExternalStore(prompt.subscribe, () => prompt.state);
  const { write } = useStdout();
  const { exit } = useApp();
  const { columns } = useWindowSize();
  useEffect(() => {
    onPrinter(write);
    void prompt.warm();
  }, [onPrinter, prompt, write]);
  useEffect(() => {
    if (state.isOver) exit();
  }, [state.isOver, exit]);
  useInput((input, key) => void prompt.key(pressOf(input, key)));
  usePaste((text) => prompt.paste(text));
  if (state.isOver) return null;
  return (
    <Box flexDirection="column">
      {state.running === null ? <Input state={state} /> : <Running state={state} />}
      {state.menu && <MenuList menu={state.menu} width={columns} />}
      <Text dimColor wrap="truncate-end">
        {state.status || "opening…"}
      </Text>
    </Box>
  );
}

function Input({ state }: { state: PromptState }) {
  const { editor, suggestion } = state;
  const rest =
    suggestion && editor.cursor === editor.text.length ? suggestion.slice(editor.text.length).split("\n")[0] : "";
  return (
    <Box>
      <Text bold>{"> "}</Text>
      <Text>
        <Code text={editor.text.slice(0, editor.cursor)} />
        <Text inverse>{cursorLetter(editor.text, editor.cursor, rest)}</Text>
        {editor.text[editor.cursor] === "\n" ? "\n" : ""}
        <Code text={editor.text.slice(editor.cursor + 1)} />
        <Text dimColor>{rest.slice(1)}</Text>
      </Text>
    </Box>
  );
}

function cursorLetter(text: string, cursor: number, suggestion: string): string {
  const letter = text[cursor] ?? suggestion[0] ?? " ";
  return letter === "\n" ? " " : letter;
}

function Code({ text }: { text: string }) {
  return highlight(text).map((token, k) => (
    // Tokens have no identity of their own; their order is all there is.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Text key={k} color={colours[token.kind]}>
      {token.text}
    </Text>
  ));
}

function Running({ state }: { state: PromptState }) {
  const { progress } = state;
  if (!progress) return <Text dimColor>running… (ctrl-c cancels)</Text>;
  const share = progress.total > 0 ? Math.min(1, progress.done / progress.total) : 0;
  const bar = "█".repeat(Math.round(share * 20)).padEnd(20, "░");
  const left = progress.eta_ms === null ? "" : `, ${Math.max(1, Math.round(progress.eta_ms / 1000))} s to go`;
  return <Text>{`${progress.phase} ${bar} ${progress.done} of ${progress.total}${left} (ctrl-c cancels)`}</Text>;
}

function MenuList({ menu, width }: { menu: Menu; width: number }) {
  const first = Math.min(Math.max(0, menu.chosen - menuRows + 1), Math.max(0, menu.items.length - menuRows));
  const shown = menu.items.slice(first, first + menuRows);
  const chosen = menu.items[menu.chosen];
  const docs = (chosen.docs ?? "").split("\n\n")[0].replaceAll("\n", " ");
  return (
    <Box flexDirection="column">
      {shown.map((item, k) => (
        <Text key={item.text} inverse={first + k === menu.chosen} wrap="truncate-end">
          {first + k === menu.chosen ? "▸ " : "  "}
          {item.text}
        </Text>
      ))}
      <Text dimColor wrap="truncate-end">
        {`${menu.chosen + 1} of ${menu.items.length}${docs ? `  ${docs.slice(0, Math.max(20, width - 12))}` : ""}`}
      </Text>
    </Box>
  );
}

function pressOf(input: string, key: Key): KeyPress {
  const names = [
    ["up", key.upArrow],
    ["down", key.downArrow],
    ["left", key.leftArrow],
    ["right", key.rightArrow],
    ["home", key.home],
    ["end", key.end],
    ["return", key.return],
    ["tab", key.tab],
    ["escape", key.escape],
    ["backspace", key.backspace],
    ["delete", key.delete],
  ] as const;
  const name = names.find(([, isPressed]) => isPressed)?.[0];
  return { input, ...(name ? { name } : {}), ctrl: key.ctrl, meta: key.meta, shift: key.shift };
}
