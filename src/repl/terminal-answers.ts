/** What the terminal told of itself. */
export interface TerminalAnswers {
  /** Does it draw sixels? */
  readonly sixel: boolean;
  /** Its pixels to each column; null when it doesn't tell. */
  readonly columnPixels: number | null;
}

/** What is known before the terminal has answered. */
export const noAnswers: TerminalAnswers = { sixel: false, columnPixels: null };

/** Asks how large a letter is (xterm's window operation 16), and what the terminal can do (DEC's primary attributes). */
const questions = "\u001b[16t\u001b[c";

/** The attribute by which a terminal says that it draws sixels. */
const sixelAttribute = "4";

/** No letter is wider; a larger number is no answer to be believed. */
const mostPixels = 100;

/** An answer that comes in two pieces is no longer than this. */
const longestAnswer = 100;

/**
 * Asks the terminal what it can do, and tells it once all answers are there; a terminal need not answer.
 *
 * Keys that are typed meanwhile go their own way: who reads them gets the answers too, and has to know them from keys.
 */
export function askTerminal(
  stdin: NodeJS.ReadableStream,
  write: (text: string) => void,
  tell: (answers: TerminalAnswers) => void,
): void {
  let heard = "";
  const hear = (chunk: string | Buffer) => {
    heard += chunk.toString();
    const answers = answersIn(heard);
    if (answers === null) {
      heard = heard.slice(-longestAnswer);
      return;
    }
    stdin.off("data", hear);
    tell(answers);
  };
  stdin.on("data", hear);
  write(questions);
}

/**
 * What a text with answers in it tells; null as long as the last one isn't there.
 *
 * The first attribute is the terminal's class and no ability.
 */
export function answersIn(text: string): TerminalAnswers | null {
  const attributes = /\u001b\[\?([\d;]*)c/.exec(text)?.[1];
  if (attributes === undefined) return null;
  const pixels = Number(/\u001b\[6;\d+;(\d+)t/.exec(text)?.[1] ?? 0);
  return {
    sixel: attributes.split(";").slice(1).includes(sixelAttribute),
    columnPixels: pixels > 0 && pixels <= mostPixels ? pixels : null,
  };
}
