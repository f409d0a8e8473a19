/**
 * What is wrong with a regular expression for engines that match in linear time; null where nothing is.
 *
 * These are the expressions of RE2, which JavaScript reads as well: no look-around, no back references, counts up to
 * 1,000. So none of them blows up, whatever text it meets.
 */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > 1000) return `may have 1,000 characters, and ${pattern.length.toLocaleString("en-US")} came`;
  const plain = pattern.replace(/^\(\?[ims]+\)/, "");
  try {
    new RegExp(plain, "u");
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "";
    return `can't be read: ${reason}`;
  }
  const bare = plain.replace(/\\[^1-9k]/g, "").replace(/\[[^\]]*\]/g, "[]");
  if (/\(\?<?[=!]/.test(bare)) return "can't look around (?=, ?!, ?<=, ?<!): engines match it in one pass";
  if (/\\[1-9k]/.test(bare)) return "can't refer back to a group (\\1): engines match it in one pass";
  const most = Math.max(
    0,
    ...[...bare.matchAll(/\{(\d*),?(\d*)\}/g)].flatMap(([, low, high]) => [Number(low), Number(high)]),
  );
  return most > 1000 ? "can't count past 1,000" : null;
}
