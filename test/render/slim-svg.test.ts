import { expect, it } from "vitest";
import { slimSvg } from "../../src/render/slim-svg.ts";

const open = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">';
const dot = (x: number, y: number, more = 'fill="#00f" opacity="0.75"') =>
  `<path aria-hidden="true" transform="translate(${x},${y})" d="M1.234,0h2" ${more}/>`;

it("draws equal marks as markers along a line, in their order and each with its own opacity", () => {
  const slim = slimSvg(`${open}<g>${dot(1.26, 2)}${dot(3, -4.04)}${dot(5, 6)}${dot(7, 8)}</g></svg>`);
  expect(slim).toContain('d="M1.3,2 3,-4 5,6 7,8"');
  expect(slim).toMatch(/<marker id="(\w+)"[^>]*><path d="M1.2,0h2" fill="#00f" opacity="0.75"\/><\/marker>/);
  expect(slim.match(/marker-(start|mid|end)="url/g)).toHaveLength(3);
});

it("keeps marks that differ, and those with words of their own", () => {
  const marks = ["#001", "#002", "#003", "#004"].map((fill, k) => dot(k, k, `fill="${fill}"`));
  const named = dot(1, 1, 'aria-label="a"').repeat(5);
  const slim = slimSvg(`${open}<g>${marks.join("")}</g><g>${named}</g></svg>`);
  expect(slim).not.toContain("marker");
  expect(slim.match(/<path/g)).toHaveLength(9);
});

it("touches no words", () => {
  const words = '<text fill="#000">d="M1.23456,0" aria-hidden="true" &lt;path d="1.23456"/&gt;</text>';
  expect(slimSvg(`${open}${words}</svg>`)).toContain(words);
});

it("names gradients by what they are, so that equal ids on one page mean equal things", () => {
  const picture = (id: string, colour: string) =>
    `${open}<path d="M0,0h9" fill="url(#${id})"/><defs><linearGradient id="${id}"><stop stop-color="${colour}"/></linearGradient></defs></svg>`;
  const ids = [
    slimSvg(picture("gradient_0", "red")),
    slimSvg(picture("gradient_0", "blue")),
    slimSvg(picture("g_7", "red")),
  ];
  const idOf = (svg: string) => /linearGradient id="(\w+)"/.exec(svg)?.[1];
  expect(idOf(ids[0])).not.toBe(idOf(ids[1]));
  expect(idOf(ids[0])).toBe(idOf(ids[2]));
  for (const svg of ids) expect(svg).toContain(`fill="url(#${idOf(svg)})"`);
});
