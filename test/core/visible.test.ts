import { describe, expect, it } from "vitest";
import { visible } from "../../src/core/visible.ts";

describe("visible", () => {
  it("shows what a terminal or a browser would obey", () => {
    expect(visible("\x1b[31m\n\t\x7f")).toBe("␛[31m⏎␉␡");
    expect(visible("\x9b\u202e\u200b\ud800")).toBe("\\x9b\\u202e\\u200b\\ud800");
  });

  it("spells them out in ASCII", () => {
    expect(visible("\x1b[31m\n\t", false)).toBe("\\x1b[31m\\n\\x09");
  });

  it("leaves words of every language and joined emoji alone", () => {
    for (const text of ["naïve 東京 👩‍👩‍👧 می‌خواهم", "a & b"]) expect(visible(text)).toBe(text);
  });
});
