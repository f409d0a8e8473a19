import { expect, it } from "vitest";
import { whyTooOld } from "../../src/core/needs-node.ts";

it.each(["22.19.0", "22.23.3", "23.0.0", "24.21.0", "100.1.2"])("takes Node %s", (version) =>
  expect(whyTooOld(version)).toBeNull(),
);

it.each(["22.18.9", "21.7.3", "20.20.2", "4.0.0"])("says what it needs to Node %s", (version) =>
  expect(whyTooOld(version)).toBe(`blocklab needs Node 22.19 or newer, this is ${version}.`),
);
