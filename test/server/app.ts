import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { afterEach } from "vitest";
import { createServer, type ServerOptions } from "../../src/server/server.ts";
import { type FakeService, fakeService } from "./fake-service.ts";

/** Keys that the test servers accept, and their owners. */
export const keys = { "key-a": "owner-a", "key-b": "owner-b" } as const;

/** A server on a fake service, asked without a network. */
export interface TestApp {
  readonly app: FastifyInstance;
  readonly service: FakeService;
  /** What the server logged. */
  readonly logged: string[];
  /** Sends a request with the first key. */
  ask(
    method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE",
    url: string,
    more?: InjectOptions,
  ): Promise<LightMyRequestResponse>;
}

const open: TestApp[] = [];

afterEach(async () => {
  for (const { app, service } of open.splice(0)) {
    service.finish();
    await app.close();
    await service.close();
  }
});

/** Makes a server that is closed after the test. */
export function testApp(options: Partial<ServerOptions> = {}): TestApp {
  const service = fakeService();
  const logged: string[] = [];
  const app = createServer({
    service,
    keys: { check: (key) => (keys as Readonly<Record<string, string>>)[key] ?? null, isValid: () => true },
    logger: { info: () => undefined, error: (fields) => void logged.push(JSON.stringify(fields)) },
    ...options,
  });
  const made: TestApp = {
    app,
    service,
    logged,
    ask: (method, url, more = {}) =>
      app.inject({ method, url, ...more, headers: { "x-svc-key": "key-a", ...more.headers } }),
  };
  open.push(made);
  return made;
}

/** A block request. */
export function request(function_code: string, args: Readonly<Record<string, unknown>> = {}) {
  return { project_id: 1, block_id: 1, parent_id: 0, function_code, args };
}
