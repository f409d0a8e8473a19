/** A piece of a regular expression, by what it means; everything else stands for itself in `syntax`. */
export type PatternPiece =
  /** A letter that means itself. */
  | { readonly letter: string; readonly isInBrackets: boolean }
  /** `d`, `D`, `w`, `W`, `s` or `S`: digits, word letters and white space of ASCII, or all others. */
  | { readonly class: string; readonly isInBrackets: boolean }
  /** Letters with a property of Unicode: `L`, `Greek`; or all others. */
  | { readonly property: string; readonly isOthers: boolean }
  /** A place between letters: an end of the text (or line), or of a word. */
  | { readonly place: "^" | "$" | "b" | "B" }
  /** Any letter but a line feed, or any at all with the flag `s`. */
  | { readonly any: true }
  /** The begin of a group, one that is remembered or one that only holds together. */
  | { readonly group: "counted" | "plain" }
  /** A quantifier, an alternative, a bracket. */
  | { readonly syntax: string };

/** A regular expression taken apart, so that each engine can put it together in its own words. */
export interface Pattern {
  readonly flags: string;
  readonly pieces: readonly PatternPiece[];
  /** How many groups are remembered. */
  readonly groups: number;
}

const flagged = /^\(\?([ims]+)\)/;

/** Categories and scripts of Unicode that engines know. */
const categories = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfos]?)$/;
const scripts =
  /^(?:Arabic|Armenian|Bengali|Cyrillic|Devanagari|Ethiopic|Georgian|Greek|Han|Hangul|Hebrew|Hiragana|Katakana|Khmer|Lao|Latin|Tamil|Telugu|Thai|Tibetan)$/;

const token = new RegExp(
  [
    /\\u\{(?<braced>[0-9a-fA-F]+)\}/,
    /\\u(?<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?<low>[dD][c-fC-F][0-9a-fA-F]{2})/,
    /\\(?:u(?<four>[0-9a-fA-F]{4})|x(?<two>[0-9a-fA-F]{2}))/,
    /\\c(?<control>[A-Za-z])/,
    /\\(?<not>[pP])\{(?:(?:Script|sc)=)?(?<property>[^}]*)\}/,
    /\\(?<escaped>.)/,
    /(?<group>\((?:\?:|\?<[^>]*>)?)/,
    /(?<open>\[\^?)/,
    /(?<counted>\{[0-9,]+\}\??)/,
    /(?<other>.)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gsu",
);

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", v: "\v", f: "\f", r: "\r", 0: "\0" };

/** Takes a pattern apart that `patternProblem` has nothing against. */
export function readPattern(pattern: string): Pattern {
  const flags = flagged.exec(pattern)?.[1] ?? "";
  const pieces: PatternPiece[] = [];
  let isInBrackets = false;
  let groups = 0;
  for (const { 0: text, groups: found } of pattern.replace(flagged, "").matchAll(token)) {
    const { braced, high, low, four, two, control, not, property, escaped, group, open, counted, other } =
      found as Readonly<Record<string, string | undefined>>;
    const letter = (which: string) => pieces.push({ letter: which, isInBrackets });
    const digits = braced ?? four ?? two;
    if (digits !== undefined) letter(String.fromCodePoint(Number.parseInt(digits, 16)));
    else if (high !== undefined)
      letter(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(String(low), 16)));
    else if (control !== undefined) letter(String.fromCharCode(control.charCodeAt(0) % 32));
    else if (property !== undefined) pieces.push({ property, isOthers: not === "P" });
    else if (escaped !== undefined) {
      if (/[dDwWsS]/.test(escaped)) pieces.push({ class: escaped, isInBrackets });
      else if (escaped === "B" || (escaped === "b" && !isInBrackets)) pieces.push({ place: escaped as "b" | "B" });
      else letter(escaped === "b" ? "\b" : (escapes[escaped] ?? escaped));
    } else if (isInBrackets) {
      // A minus between two letters makes a range of them.
      if (text === "]" || text === "-") pieces.push({ syntax: text });
      else for (const each of text) letter(each);
      isInBrackets = text !== "]";
    } else if (group !== undefined) {
      pieces.push({ group: group === "(?:" ? "plain" : "counted" });
      if (group !== "(?:") groups++;
    } else if (open !== undefined) {
      pieces.push({ syntax: open });
      isInBrackets = true;
    } else if (other === "^" || other === "$") pieces.push({ place: other });
    else if (other === ".") pieces.push({ any: true });
    else if (counted !== undefined || /[*+?|()]/.test(text)) pieces.push({ syntax: text });
    else letter(text);
  }
  return { flags, pieces, groups };
}

/**
 * What is wrong with a regular expression for engines that match in linear time; null where nothing is.
 *
 * These are the expressions of RE2, which JavaScript reads as well: no look-around, no back references, counts up to
 * 1,000. So none of them blows up, whatever text it meets.
 */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > 1000) return `may have 1,000 characters, and ${pattern.length.toLocaleString("en-US")} came`;
  const plain = pattern.replace(flagged, "");
  try {
    new RegExp(plain, "u");
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "";
    return `can't be read: ${reason}`;
  }
  const bare = plain.replace(/\\[^1-9k]/g, "").replace(/\[[^\]]*\]/g, "[]");
  if (/\(\?<?[=!]/.test(bare)) return "can't look around (?=, ?!, ?<=, ?<!): engines match it in one pass";
  if (/\\[1-9k]/.test(bare)) return "can't refer back to a group (\\1): engines match it in one pass";
  const { pieces } = readPattern(pattern);
  const odd = pieces.find(
    (piece) => "property" in piece && !categories.test(piece.property) && !scripts.test(piece.property),
  );
  if (odd && "property" in odd) {
    return `knows letters by a category such as \\p{L} or a script such as \\p{Script=Greek}, and ${odd.property} came`;
  }
  if (pieces.some((piece, k) => isOpen(piece) && isClosed(pieces[k + 1])))
    return "has brackets without a letter in them";
  const most = Math.max(
    0,
    ...[...bare.matchAll(/\{(\d*),?(\d*)\}/g)].flatMap(([, low, high]) => [Number(low), Number(high)]),
  );
  if (most > 1000) return "can't count past 1,000";
  const { size, times } = weighed(pieces);
  if (times > 1000) return "can't count past 1,000, and its counts within each other multiply to more";
  return size > mostSteps ? "is too large: its counts repeat more letters than engines hold ready" : null;
}

/** Steps of a machine that RE2 makes at most of an expression, in the 8 MB that it takes. */
const mostSteps = 120_000;

/** What RE2 makes of an expression: its steps, rather too many than too few, and how often its innermost part is repeated. */
interface Weight {
  readonly size: number;
  readonly times: number;
}

/** A group that is open: what stands in it so far, and its last piece, which a count may follow. */
interface Open {
  before: Weight;
  last: Weight;
}

const nothing: Weight = { size: 0, times: 1 };

function weighed(pieces: readonly PatternPiece[]): Weight {
  const whole: Open = { before: nothing, last: nothing };
  const groups = [whole];
  let isInBrackets = false;
  for (const piece of pieces) {
    const inner = groups.at(-1) ?? whole;
    const syntax = "syntax" in piece ? piece.syntax : "";
    const counts = /^\{(\d*),?(\d*)\}/.exec(syntax);
    if (isInBrackets) {
      inner.last = { ...inner.last, size: inner.last.size + stepsOf(piece) };
      isInBrackets = syntax !== "]";
    } else if ("group" in piece) groups.push({ before: nothing, last: nothing });
    else if (syntax === ")") {
      groups.pop();
      const outer = groups.at(-1) ?? whole;
      const { size, times } = both(inner);
      outer.before = both(outer);
      outer.last = { size: size + 2, times };
    } else if (counts) {
      const most = Math.max(1, Number(counts[1]), Number(counts[2]));
      inner.last = { size: inner.last.size * most, times: inner.last.times * most };
    } else {
      inner.before = both(inner);
      inner.last = { size: stepsOf(piece), times: 1 };
      isInBrackets = /^\[/.test(syntax);
    }
  }
  return both(whole);
}

function both({ before, last }: Open): Weight {
  return { size: before.size + last.size, times: Math.max(before.times, last.times) };
}

/** Letters of one kind are hundreds of ranges of bytes, those of a script some dozens. */
function stepsOf(piece: PatternPiece): number {
  if ("property" in piece) return categories.test(piece.property) ? 350 : 40;
  return "any" in piece || "class" in piece ? 4 : 2;
}

function isOpen(piece: PatternPiece): boolean {
  return "syntax" in piece && /^\[\^?$/.test(piece.syntax);
}

function isClosed(piece: PatternPiece | undefined): boolean {
  return piece !== undefined && "syntax" in piece && piece.syntax === "]";
}
