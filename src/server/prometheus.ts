/** A metric in Prometheus' text format: its head, and its samples by what follows its name. */
export function family(
  name: string,
  type: "gauge" | "counter" | "summary" | "histogram",
  help: string,
  samples: readonly (readonly [end: string, value: number])[],
): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([end, value]) => `${name}${end} ${value}`),
  ];
}
