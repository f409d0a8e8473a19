/** Why this Node is too old for blocklab, in a sentence; null when it isn't. */
export function whyTooOld(version: string): string | null {
  const [major, minor] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return null;
  return `blocklab needs Node 22.19 or newer, this is ${version}.`;
}
