import type { Edit } from "./editor.ts";

/** A key as the terminal names it. */
export interface KeyPress {
  readonly input: string;
  readonly name?:
    | "up"
    | "down"
    | "left"
    | "right"
    | "home"
    | "end"
    | "pageUp"
    | "pageDown"
    | "return"
    | "tab"
    | "escape"
    | "backspace"
    | "delete";
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

const controlEdits: Readonly<Record<string, Edit>> = {
  a: { kind: "move", to: "home" },
  e: { kind: "move", to: "end" },
  b: { kind: "move", to: "left" },
  f: { kind: "move", to: "right" },
  k: { kind: "erase", what: "toEnd" },
  u: { kind: "erase", what: "toStart" },
  w: { kind: "erase", what: "word" },
  j: { kind: "insert", text: "\n" },
};

/** What a key does to the text; null when it is none of the editing keys. */
export function editFor({ name, input, ctrl, meta }: KeyPress): Edit | null {
  if (ctrl && Object.hasOwn(controlEdits, input)) return controlEdits[input];
  switch (name) {
    case "left":
    case "right":
      return { kind: "move", to: ctrl || meta ? (name === "left" ? "wordLeft" : "wordRight") : name };
    case "home":
    case "end":
      return { kind: "move", to: name };
    case "backspace":
      return { kind: "erase", what: meta || ctrl ? "word" : "before" };
    case "delete":
      return { kind: "erase", what: "after" };
    default:
      return null;
  }
}

/** The keys of a press one by one: typed fast, text and control keys come in one piece. */
export function piecesOf(press: KeyPress): KeyPress[] {
  if (press.name || press.ctrl || press.meta) return [press];
  const pieces = press.input.match(/[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g) ?? [];
  return pieces.length < 2 && !/^[\x00-\x1f\x7f]/.test(press.input) ? [press] : pieces.map(pieceOf);
}

const controlNames: Readonly<Record<string, KeyPress["name"]>> = {
  "\t": "tab",
  "\r": "return",
  "\n": "return",
  "\u001b": "escape",
  "\u007f": "backspace",
};

function pieceOf(piece: string): KeyPress {
  const code = piece.charCodeAt(0);
  if (code >= 32 && code !== 127) return { input: piece };
  const name = Object.hasOwn(controlNames, piece) ? controlNames[piece] : undefined;
  return name ? { input: "", name } : { input: String.fromCharCode(code + 96), ctrl: true };
}
