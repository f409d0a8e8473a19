import {
  Box,
  type Key,
  render,
  Text,
  useApp,
  useInput,
  useIsScreenReaderEnabled,
  usePaste,
  useStdout,
  useWindowSize,
} from "ink";
import { createElement, useEffect, useSyncExternalStore } from "react";
import { visible } from "../core/visible.ts";
import type { KeyPress } from "./keys.ts";
import type { Menu } from "./menu.ts";
import type { Prompt } from "./prompt.ts";
import type { PromptState } from "./prompt-state.ts";
import { prompted } from "./prompted.ts";
import { colourOf } from "./theme.ts";
import { type Piece, viewport } from "./viewport.ts";

/** How many entries of a menu show at once. */
const menuRows = 8;

/** Rows of the screen that belong to others: what was printed last, the preview, and the status line. */
const otherRows = 4;

/** What the app lends to the program around it. */
export interface Terminal {
  /** Prints above the prompt. */
  print(text: string): void;
  /** Waits until the screen shows the last change. */
  painted(): Promise<void>;
  /** Gives the whole terminal to some work, and takes it back. */
  lend(work: () => Promise<void>): Promise<void>;
}

/** What the app shows, and what it tells once it does. */
interface AppOptions {
  readonly prompt: Prompt;
  readonly onReady: (terminal: Terminal) => void;
}

/** Shows the app on a screen until it is left. */
export async function showApp(options: AppOptions, screen: NodeJS.WriteStream, isSpoken: boolean): Promise<void> {
  const app = render(createElement(App, options), {
    stdout: screen,
    exitOnCtrlC: false,
    // A variable named CI, as build machines set, would leave the screen empty until the end.
    interactive: true,
    maxFps: 120,
    isScreenReaderEnabled: isSpoken,
  });
  await app.waitUntilExit();
}

/** The live part of the screen: what is typed, the menu, progress and the status line. */
function App({ prompt, onReady }: AppOptions) {
  const state = useSyncExternalStore(prompt.subscribe, () => prompt.state);
  const { write } = useStdout();
  const { exit, suspendTerminal, waitUntilRenderFlush } = useApp();
  const { columns, rows } = useWindowSize();
  // Before onReady, as the terminal must not echo the answers to what is asked of it there.
  useInput((input, key) => void prompt.key(pressOf(input, key)));
  usePaste((text) => void prompt.paste(text));
  useEffect(() => {
    onReady({ print: write, painted: waitUntilRenderFlush, lend: (work) => suspendTerminal(work) });
    void prompt.warm();
  }, [onReady, prompt, write, suspendTerminal, waitUntilRenderFlush]);
  useEffect(() => {
    if (state.isOver) exit();
  }, [state.isOver, exit]);
  const isSpoken = useIsScreenReaderEnabled();
  if (state.isOver) return null;
  if (isSpoken) return <Text>{spokenLines(state).join("\n")}</Text>;
  const room = Math.max(1, rows - otherRows - (state.menu ? menuRows + 2 : 0));
  return (
    <Box flexDirection="column">
      <Live state={state} columns={columns} rows={room} />
      {state.menu && <MenuList menu={state.menu} width={columns} />}
      <Text dimColor wrap="truncate-end">
        {visible(state.status) || "opening"}
      </Text>
    </Box>
  );
}

/** The prompt for who listens to it: what is typed, what is chosen, what runs, and nothing that is only drawn. */
function spokenLines(state: PromptState): string[] {
  const { editor, menu, running, progress, search, offered } = state;
  if (running !== null)
    return [progress ? `${progress.phase}: ${Math.floor(progress.done)} of ${progress.total}` : "running"];
  if (search) return [hintOf(state) ?? "", search.found ?? ""];
  const chosen = menu?.items[menu.chosen];
  const offer = editor.text === "" && offered !== null ? [`enter runs ${offered}`] : [];
  const choice = menu && chosen ? [`${chosen.text}, ${menu.chosen + 1} of ${menu.items.length}`] : [];
  const lead = state.asks ? "answer: " : "> ";
  return [`${lead}${prompted(editor.text).slice(2)}`, ...choice, ...offer];
}

/** What is typed, what runs, or that there is more of a long page. */
function Live({ state, columns, rows }: { state: PromptState; columns: number; rows: number }) {
  const { running, more } = state;
  if (running !== null) return <Running state={state} />;
  if (more) return <Text inverse>{moreWords(more)}</Text>;
  return <Input state={state} columns={columns} rows={rows} />;
}

function moreWords({ lines, of }: NonNullable<PromptState["more"]>): string {
  return ` ${of - lines.length} of ${of} lines: space goes on, q ends `;
}

function Input({ state, columns, rows }: { state: PromptState; columns: number; rows: number }) {
  const { search } = state;
  const found = search?.found ?? "";
  const editor = search ? { text: found, cursor: Math.max(0, found.indexOf(search.query)) } : state.editor;
  const hint = hintOf(state);
  const { pieces, above, below } = viewport(editor, Math.max(10, columns - 3), rows);
  const ghost = ghostOf(state);
  const isPart = above + below > 0;
  return (
    <Box flexDirection="column">
      <Box>
        <Box flexShrink={0}>
          <Text bold>{state.asks ? "? " : "> "}</Text>
        </Box>
        <Text>
          {pieces.map((piece, k) => (
            // Pieces have no identity of their own; their order is all there is.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <Stretch key={k} piece={piece} state={state} ghost={ghost} isLast={k === pieces.length - 1} />
          ))}
          <Text dimColor>{ghost.slice(1)}</Text>
        </Text>
      </Box>
      {isPart && <Text dimColor>{`  ${above} lines above, ${below} below`}</Text>}
      {hint !== null && (
        <Text dimColor wrap="truncate-end">
          {hint}
        </Text>
      )}
    </Box>
  );
}

function Stretch(props: { piece: Piece; state: PromptState; ghost: string; isLast: boolean }) {
  const { piece, state, ghost, isLast } = props;
  if (!piece.isCursor) return <Text color={colourOf(piece.kind, state.theme)}>{piece.text}</Text>;
  return <Text inverse>{isLast && ghost !== "" ? ghost[0] : piece.text}</Text>;
}

/** What would follow, in grey: the first line of an earlier cell, or of the code that is offered. */
function ghostOf({ editor, suggestion, offered, search }: PromptState): string {
  if (search || editor.cursor !== editor.text.length) return "";
  const ghost = editor.text === "" ? offered : suggestion;
  return visible(ghost?.slice(editor.text.length).split("\n")[0] ?? "");
}

/** The line below what is typed. */
function hintOf({ search, preview, editor, offered, asks }: PromptState): string | null {
  if (search) {
    const lost = search.query !== "" && search.found === null ? " (nothing)" : "";
    return `search: ${search.query}${lost}  (ctrl-r: older, enter: take, ctrl-c: back)`;
  }
  if (asks && editor.text === "") return "your answer, or enter to skip the question";
  if (editor.text === "" && offered === ":next") return "enter goes on to the next step";
  if (editor.text === "" && offered !== null) return "enter runs the example, → takes it to be changed";
  return preview === null ? null : `= ${preview}`;
}

function Running({ state }: { state: PromptState }) {
  const { progress } = state;
  if (!progress) return <Text dimColor>running… (ctrl-c cancels)</Text>;
  const share = progress.total > 0 ? Math.min(1, progress.done / progress.total) : 0;
  const bar = "█".repeat(Math.round(share * 20)).padEnd(20, "░");
  const left = progress.eta_ms === null ? "" : `, ${Math.max(1, Math.round(progress.eta_ms / 1000))} s to go`;
  return (
    <Text wrap="truncate-end">{`${progress.phase} ${bar} ${Math.floor(progress.done)} of ${progress.total}${left} (ctrl-c cancels)`}</Text>
  );
}

function MenuList({ menu, width }: { menu: Menu; width: number }) {
  const first = Math.min(Math.max(0, menu.chosen - menuRows + 1), Math.max(0, menu.items.length - menuRows));
  const shown = menu.items.slice(first, first + menuRows);
  const chosen = menu.items[menu.chosen];
  const docs = visible((chosen.docs ?? "").split("\n\n")[0].replaceAll("\n", " "));
  const detail = chosen.kind === "block" ? "" : (chosen.detail ?? "");
  const signature = visible(detail.replace(/^\([\w ]+\) /, "").replaceAll(/\s+/g, " "));
  return (
    <Box flexDirection="column">
      {shown.map((item, k) => (
        <Text key={item.text} inverse={first + k === menu.chosen} wrap="truncate-end">
          {first + k === menu.chosen ? "▸ " : "  "}
          {visible(item.text)}
          {item.kind === "block" ? `  ${item.detail}` : ""}
        </Text>
      ))}
      {signature !== "" && <Text wrap="truncate-end">{signature}</Text>}
      <Text dimColor wrap="truncate-end">
        {`${menu.chosen + 1} of ${menu.items.length}${docs ? `  ${docs.slice(0, Math.max(20, width - 12))}` : ""}`}
      </Text>
    </Box>
  );
}

/** A key as the prompt knows it. */
export function pressOf(input: string, key: Key): KeyPress {
  const names = [
    ["up", key.upArrow],
    ["down", key.downArrow],
    ["left", key.leftArrow],
    ["right", key.rightArrow],
    ["home", key.home],
    ["end", key.end],
    ["pageUp", key.pageUp],
    ["pageDown", key.pageDown],
    ["return", key.return],
    ["tab", key.tab],
    ["escape", key.escape],
    ["backspace", key.backspace],
    ["delete", key.delete],
  ] as const;
  const name = names.find(([, isPressed]) => isPressed)?.[0];
  return { input, ...(name ? { name } : {}), ctrl: key.ctrl, meta: key.meta, shift: key.shift };
}
