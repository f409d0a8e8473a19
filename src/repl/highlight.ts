/** A stretch of code and what it is. */
export interface Token {
  readonly text: string;
  readonly kind: "plain" | "keyword" | "string" | "number" | "comment";
}

const pattern =
  /(?<comment>\/\/.*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)|(?<number>\b\d[\w.]*)|(?<keyword>\b(?:await|async|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield)\b)/g;

/** Cuts code into coloured stretches; unfinished strings and comments run to the end. */
export function highlight(code: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > at) tokens.push({ text: code.slice(at, match.index), kind: "plain" });
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? "plain";
    tokens.push({ text: match[0], kind: kind as Token["kind"] });
    at = match.index + match[0].length;
  }
  if (at < code.length) tokens.push({ text: code.slice(at), kind: "plain" });
  return tokens;
}
