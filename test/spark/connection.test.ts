import { describe, expect, it } from "vitest";
import { connectionOf, placeOf } from "../../src/spark/connection.ts";

const refusal = (text: string) => {
  try {
    connectionOf(text);
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error(`${text} was taken`);
};

describe("addresses", () => {
  it("have a host, a port that may be left out, and parameters", () => {
    expect(connectionOf("sc://spark.example.org")).toMatchObject({
      host: "spark.example.org",
      port: 15_002,
      isEncrypted: false,
      headers: {},
    });
    const full = connectionOf("SC://Host:443/;use_ssl=true;user_id=%C3%84nne;user_agent=me;x-cluster=a=b;");
    expect(full).toMatchObject({ host: "host", port: 443, isEncrypted: true, userId: "Änne", userAgent: "me" });
    expect(full.headers).toEqual({ "x-cluster": "a=b" });
    expect(placeOf(connectionOf("sc://[::1]:15003/"))).toBe("[::1]:15003");
  });

  it("with a token ask for TLS, unless nothing leaves the machine", () => {
    expect(connectionOf("sc://far.example.org/;token=abc")).toMatchObject({ isEncrypted: true, token: "abc" });
    expect(connectionOf("sc://127.0.0.1:15002/;token=abc").isEncrypted).toBe(false);
    expect(connectionOf("sc://localhost/;token=abc;use_ssl=true").isEncrypted).toBe(true);
  });

  it("are refused in words that don't repeat a token", () => {
    for (const text of [
      "http://host:15002",
      "sc://host:0",
      "sc://host:99999",
      "sc://host:15002/path;token=secret",
      "sc://host:15002/;token",
      "sc://host:15002/;=secret",
      "sc://host:15002/;token=secret%",
      "sc://host:15002/;token=secr%C3%A4t",
      "sc://host:15002/;session_id=secret",
      "sc://host:15002/;grpc-timeout=secret",
      "sc://ho st",
      "",
    ]) {
      const { message, code } = refusal(text);
      expect(code).toBe("BAD_ADDRESS");
      expect(message).toMatch(/^[A-Z"].*Spark Connect.*\.$/);
      expect(message).not.toContain("secr");
    }
  });
});
