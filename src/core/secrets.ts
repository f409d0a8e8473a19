/** The password in a URL such as `postgres://ann:pw@host/db`: as it stands, and what the URL is without it. */
export function passwordInUrl(text: string): { readonly password: string; readonly without: string } | null {
  // In a database's URL all up to the last @ is taken, so that a password with a bare slash stays hidden too.
  const match =
    /^((?:postgres(?:ql)?|mysql|mariadb):\/\/[^/?#@\s:]*):(.*)@([^@]*)$/is.exec(text) ??
    /^([a-z][a-z0-9+.-]*:\/\/[^/?#@\s:]*):([^/?#\s]*)@([^@]*)$/i.exec(text);
  return match && match[2] !== "" ? { password: match[2], without: `${match[1]}@${match[3]}` } : null;
}

/**
 * Arguments as they may be kept: the named secrets give way to null, and URLs lose their passwords.
 *
 * A null says that a secret was given, so that a replay can ask for it.
 */
export function withoutSecrets(
  args: Readonly<Record<string, unknown>>,
  secrets: readonly string[] = [],
): Record<string, unknown> {
  let lost = false;
  const kept = Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const inUrl = typeof value === "string" ? passwordInUrl(value) : null;
      lost ||= inUrl !== null;
      return [name, secrets.includes(name) && value !== undefined ? null : (inUrl?.without ?? value)];
    }),
  );
  const first = secrets[0];
  return lost && first !== undefined && !(first in kept) ? { ...kept, [first]: null } : kept;
}

/** Every secret in raw arguments, however it may be spelt in a message. */
export function secretsIn(args: unknown, secrets: readonly string[] = []): string[] {
  if (typeof args !== "object" || args === null) return [];
  const found = Object.entries(args).flatMap(([name, value]) => {
    if (secrets.includes(name)) return [typeof value === "string" ? value : (JSON.stringify(value) ?? "")];
    const inUrl = typeof value === "string" ? passwordInUrl(value)?.password : undefined;
    return inUrl === undefined ? [] : [inUrl, decoded(inUrl)];
  });
  return [...new Set(found)].filter((secret) => secret !== "");
}

/** A text in which no secret is left. */
export function masked(text: string, secrets: readonly string[]): string {
  return [...secrets]
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
}

/** A value of JSON with the passwords of all URLs inside its texts masked. */
export function withoutUrlPasswords<T>(value: T): T {
  const clean = (inner: unknown): unknown => {
    if (typeof inner === "string")
      return inner.replace(/(?<![a-z0-9+.-])([a-z0-9+.-]+:\/\/[^\s/:@"]*):[^\s/@"]*@/gi, "$1:***@");
    if (Array.isArray(inner)) return inner.map(clean);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, clean(each)]));
  };
  return clean(value) as T;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
