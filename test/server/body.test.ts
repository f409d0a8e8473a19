import { expect, test } from "vitest";
import { testApp } from "./app.ts";

const start = "/api/v1/engine/start";
const headers = { "content-type": "application/json" };

test.each([
  ["lists", `[${"[],".repeat(200_000)}1]`],
  ["objects", `{"a":[${"{},".repeat(200_000)}1]}`],
  ["texts", `{"a":[${'"b",'.repeat(200_000)}1]}`],
  ["names", `{${Array.from({ length: 200_001 }, (_, k) => `"k${k}":1`).join()}}`],
])("a body of too many %s is refused before it is read", async (_, payload) => {
  const answer = await testApp().ask("POST", start, { headers, payload });
  expect(answer.statusCode).toBe(413);
  expect(answer.json().message).toBe(
    "The body holds more than 200,000 texts, lists and objects. Send large data as a file, or as lists of numbers.",
  );
});

test("brackets and quotes inside a text are letters, and numbers are not counted", async () => {
  const text = '[{\\"'.repeat(100_000);
  const payload = `{"project_name":"${text.slice(0, 90)}","more":["${text}",${"1,".repeat(300_000)}1]}`;
  expect((await testApp().ask("POST", "/api/v1/project", { headers, payload })).statusCode).toBe(200);
});

test.each(['{"a":{"__proto__":{"b":1}}}', '{"a":[{"\\u005f_proto__":1}]}', '[[{"__pr\\u006fto__":null}]]'])(
  "%s is refused",
  async (payload) => {
    const answer = await testApp().ask("POST", start, { headers, payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toBe('The body is not valid JSON: the key "__proto__" is not allowed.');
  },
);
