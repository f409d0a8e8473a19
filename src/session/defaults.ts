/** Is the value what the block would take if nothing were said? */
export function isDefault(schema: unknown, value: unknown): boolean {
  const def = (schema as { _zod?: { def?: { type?: string; defaultValue?: unknown } } } | undefined)?._zod?.def;
  return def?.type === "default" && JSON.stringify(def.defaultValue) === JSON.stringify(value);
}
