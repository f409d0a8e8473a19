import { Box, render, Text, useApp, useInput, useWindowSize } from "ink";
import { createElement, useEffect, useSyncExternalStore } from "react";
import { pressOf } from "../app.tsx";
import { piecesOf } from "../keys.ts";
import { Explorer, type Source } from "./explorer.ts";
import { drawnColumns, keyLine, otherLines, titleLine } from "./layout.ts";

/** Shows a table on a screen of its own until it is left; the caller has lent the terminal. */
export async function showExplorer(source: Source, screen: NodeJS.WriteStream): Promise<void> {
  const explorer = new Explorer(source);
  const app = render(createElement(View, { explorer, total: source.total }), {
    // A stream of its own, because Ink keeps one app per stream.
    stdout: Object.create(screen),
    exitOnCtrlC: false,
    patchConsole: false,
    alternateScreen: true,
    maxFps: 60,
  });
  await app.waitUntilExit();
}

function View({ explorer, total }: { explorer: Explorer; total: number }) {
  const state = useSyncExternalStore(explorer.subscribe, () => explorer.state);
  const { exit } = useApp();
  const { columns: width, rows: height } = useWindowSize();
  const columns = drawnColumns(state.page, state.sort, width);
  useEffect(() => explorer.resize(height - otherLines - 1, width), [explorer, height, width]);
  useEffect(() => explorer.fit(columns.length), [explorer, columns.length]);
  useEffect(() => {
    if (state.isOver) exit();
  }, [state.isOver, exit]);
  useInput((input, key) => {
    for (const piece of piecesOf(pressOf(input, key))) {
      // Letters are keys here, however fast they come.
      const letters = piece.name || piece.ctrl ? [piece.input] : [...piece.input];
      for (const letter of letters) explorer.key({ ...piece, input: letter });
    }
  });
  const line = (k: number) => columns.map((column) => column.cells[k]).join("  ");
  return (
    <Box flexDirection="column" height={height - 1}>
      <Text bold wrap="truncate-end">
        {titleLine(state, total)}
      </Text>
      <Text wrap="truncate-end">
        {columns.map((column, k) => (
          <Text key={column.name}>
            {k > 0 ? "  " : ""}
            <Text bold inverse={column.name === state.chosen}>
              {column.head}
            </Text>
          </Text>
        ))}
      </Text>
      <Text dimColor wrap="truncate-end">
        {columns.map((column) => column.type).join("  ")}
      </Text>
      <Box flexDirection="column" flexGrow={1}>
        {state.page.rows.map((_, k) => (
          // A row has no identity of its own; its place on the screen is all there is.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Text key={k} wrap="truncate-end">
            {line(k)}
          </Text>
        ))}
      </Box>
      <Text dimColor wrap="truncate-end">
        {keyLine(state)}
      </Text>
    </Box>
  );
}
