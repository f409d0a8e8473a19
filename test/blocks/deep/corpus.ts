import { RandomState } from "../../../src/numerics/random.ts";

const topics = ["farming", "music", "ships", "law", "weather"];

/** A CSV of texts whose topic a few of their words tell, the same for the same seed. */
export function corpusCsv(rows: number, { classes = 3, seed = 1, share = 0.3 } = {}): string {
  const random = new RandomState(seed);
  const word = (kind: string) => `${kind}${random.randomInterval(29)}`;
  const lines = Array.from({ length: rows }, (_, i) => {
    const topic = topics[i % classes];
    const words = Array.from({ length: 10 }, () => word(random.uniform() < share ? topic.slice(0, 3) : "any"));
    return `"${words.join(" ")}",${topic}`;
  });
  return `text,topic\n${lines.join("\n")}\n`;
}
