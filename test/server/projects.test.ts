import { describe, expect, test } from "vitest";
import { testApp } from "./app.ts";

const record = {
  id: 1,
  app_id: "00000000-0000-4000-8000-000000000001",
  project_name: "iris",
  project_description: "flowers",
  project_compiled_models: null,
  created_at: "2024-01-01T00:00:00.000000Z",
};
const payload = { project_name: "iris", project_description: "flowers", colour: "blue" };

describe.each(["/api/v1/project", "/api/v1/project/", "/api/v1/engine/project", "/api/v1/engine/project/"])(
  "%s",
  (path) => {
    test("creates a project and answers it bare and in the envelope", async () => {
      const answer = await testApp().ask("POST", path, { payload });
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({ ...record, status: "true", message: record });
    });

    test("lists, reads and deletes projects", async () => {
      const { ask } = testApp();
      await ask("POST", path, { payload });
      const one = `${path.replace(/\/$/, "")}/${record.app_id}`;
      expect((await ask("GET", path)).json()).toEqual({ status: "true", message: [record] });
      expect((await ask("GET", one)).json()).toEqual({ ...record, status: "true", message: record });
      const deleted = await ask("DELETE", one, { headers: { "content-type": "application/json" } });
      expect(deleted.json()).toEqual({ status: "true", message: `Project ${record.app_id} is deleted.` });
      expect((await ask("GET", path)).json()).toEqual({ status: "true", message: [] });
      expect((await ask("GET", one)).statusCode).toBe(404);
      expect((await ask("DELETE", one)).statusCode).toBe(404);
    });
  },
);

test("a taken name is a 403", async () => {
  const { ask } = testApp();
  await ask("POST", "/api/v1/project", { payload });
  const answer = await ask("POST", "/api/v1/project", { payload });
  expect(answer.statusCode).toBe(403);
  expect(answer.json()).toEqual({
    status: "false",
    message: 'There is already a project "iris".',
    error: { code: "name_taken", path: "project_name" },
  });
});

test("another key's project is a 404", async () => {
  const { ask } = testApp();
  await ask("POST", "/api/v1/project", { payload });
  const answer = await ask("GET", `/api/v1/project/${record.app_id}`, { headers: { "x-svc-key": "key-b" } });
  expect(answer.statusCode).toBe(404);
});

test.each([{}, { project_name: "" }, { project_name: null }])("%j lacks a name", async (body) => {
  const answer = await testApp().ask("POST", "/api/v1/project", { payload: body });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({
    message: "A project needs a project_name (text).",
    error: { code: "bad_arguments", path: "project_name" },
  });
});

test("a name that is no text is a 400 with what came", async () => {
  const answer = await testApp().ask("POST", "/api/v1/project", { payload: { project_name: { a: 1 } } });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().message).toBe('project_name must be text, got "{\\"a\\":1}".');
});
