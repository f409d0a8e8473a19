import { expect, test } from "vitest";
import { testApp } from "./app.ts";

const path = "/api/v1/models/production";

test("hands flow and rows to the service, and answers in the envelope", async () => {
  const { ask } = testApp();
  for (const flow_id of [3, "3"]) {
    const answer = await ask("POST", path, { payload: { flow_id, data: [{ a: 1 }] } });
    expect(answer.json()).toEqual({ status: "true", message: { y_pred: [3, '[{"a":1}]'] } });
  }
});

test("wants a whole number as flow_id, and a key", async () => {
  const { app, ask } = testApp();
  const answer = await ask("POST", path, { payload: { flow_id: "x", data: [] } });
  expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringMatching(/^flow_id must be the id/)]);
  expect((await app.inject({ method: "POST", url: path, payload: {} })).statusCode).toBe(401);
});
