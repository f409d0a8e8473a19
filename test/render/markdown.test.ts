import { describe, expect, it } from "vitest";
import { markdownLines } from "../../src/render/markdown.ts";

function plain(markdown: string, width = 40): string {
  return markdownLines(markdown, { width, colour: false }).join("\n");
}

function coloured(markdown: string): string {
  return markdownLines(markdown, { width: 40, colour: true }).join("\n");
}

describe("markdown in a terminal", () => {
  it("joins the lines of a paragraph and breaks them at the width", () => {
    expect(plain("one two\nthree four five six seven eight nine\n\nten")).toBe(
      "one two three four five six seven eight\nnine\n\nten",
    );
  });

  it("draws headings in bold, and as they are written where there is no bold", () => {
    expect(plain("## A title ##\ntext")).toBe("## A title\n\ntext");
    expect(coloured("## A title")).toBe("\x1b[1mA title\x1b[0m");
  });

  it("draws lists with hanging indentation, quotes, rules and tables", () => {
    expect(plain("- one\n- two which goes on for more than the width has\n  1. inner\n\nend", 30)).toBe(
      "• one\n• two which goes on for more\n  than the width has\n  1. inner\n\nend",
    );
    expect(plain("> said\n> so\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |")).toBe(
      `│ said so\n\n${"─".repeat(40)}\n\n| a | b |\n|---|---|\n| 1 | 2 |`,
    );
  });

  it("leaves code as it is, wider than the screen as well", () => {
    const long = "x".repeat(60);
    expect(plain(`\`\`\`ts\n${long}\n  a **b**\n\`\`\`\nend`)).toBe(`    ${long}\n      a **b**\n\nend`);
    expect(plain("text\n\n    indented\n\nend")).toBe("text\n\n    indented\n\nend");
    expect(plain("```\nnever closed")).toBe("    never closed");
  });

  it("draws code, strong and emphasis within a line, and over its end", () => {
    expect(plain("a `code` **strong** *soft* __s__ _t_ snake_case_name 2 * 3 * 4")).toBe(
      "a code strong soft s t snake_case_name 2\n* 3 * 4",
    );
    expect(coloured("`code` **strong**")).toBe("\x1b[36mcode\x1b[0m \x1b[1mstrong\x1b[0m");
    expect(coloured("a paragraph that ends, now, with **strong words**")).toBe(
      "a paragraph that ends, now, with \x1b[1mstrong\x1b[0m\n\x1b[1mwords\x1b[0m",
    );
  });

  it("writes links out and names pictures", () => {
    expect(plain("[here](https://x.org/a) ![a chart](c.png) [top](#top)")).toBe("here (https://x.org/a) a chart top");
  });

  it("obeys no escape code, wherever it stands", () => {
    const bad = "\x1b[2J\x07";
    const all = [
      `# ${bad}`,
      `- ${bad}`,
      `> ${bad}`,
      `\`\`\`\n${bad}\n\`\`\``,
      `| ${bad} |`,
      `[${bad}](${bad})`,
      `\`${bad}\``,
    ];
    expect(plain(all.join("\n\n"))).not.toMatch(/[\x1b\x07]/);
    expect(plain(all.join("\n\n"))).toContain("␛[2J␇");
  });
});
