import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as messages from "../../src/spark/messages.ts";
import { type Message, message } from "../../src/spark/protobuf.ts";
import { hasSparkPackage, sparkPackage } from "../support/spark.ts";

const Inner = message("Inner", { on: [1, "bool"] });
const Sample = message("Sample", {
  small: [1, "int32"],
  big: [2, "int64"],
  text: [3, "string"],
  real: [4, "double"],
  single: [5, "float"],
  raw: [6, "bytes"],
  inner: [7, Inner],
  names: [16, "string", "repeated"],
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("messages", () => {
  it("are written as the format's own examples are", () => {
    // protobuf.dev: 150 in field 1 is 08 96 01; "testing" in field 2 is 12 07 and its letters.
    expect(hex(message("Test1", { a: [1, "int32"] }).encode({ a: 150 }))).toBe("089601");
    expect(hex(message("Test2", { b: [2, "string"] }).encode({ b: "testing" }))).toBe("120774657374696e67");
    expect(hex(message("Test3", { c: [3, Sample] }).encode({ c: { small: 150 } }))).toBe("1a03089601");
  });

  it("come back as they were", () => {
    const value = {
      small: -1,
      big: -(2n ** 63n),
      text: "Straße 𝄞",
      real: -0,
      single: 1.5,
      raw: Buffer.from([0, 255]),
      inner: { on: false },
      names: ["", "a"],
    };
    expect(Sample.decode(Sample.encode(value))).toEqual(value);
    expect(Sample.decode(Sample.encode({ real: Number.NaN })).real).toBeNaN();
    expect(Sample.decode(Sample.encode({ big: 2n ** 63n - 1n })).big).toBe(2n ** 63n - 1n);
    expect(Sample.decode(new Uint8Array())).toEqual({});
  });

  it("are read past fields that are not known", () => {
    const newer = message("Newer", { small: [1, "int32"], later: [99, "string"], sixty: [98, "double"] });
    expect(Sample.decode(newer.encode({ sixty: 1, small: 7, later: "x" }))).toEqual({ small: 7 });
  });

  it("are refused where they end too soon or make no sense", () => {
    const bytes = Sample.encode({ text: "abc" });
    expect(() => Sample.decode(bytes.subarray(0, 3))).toThrow(RangeError);
    expect(() => Sample.decode(Uint8Array.of(0x0b))).toThrow(/wire type 3/);
    expect(() => Sample.decode(new Uint8Array(20).fill(255))).toThrow(/64 bits/);
  });
});

/** What a .proto file says of itself; a field's type by number, as descriptor.proto has them. */
const FieldDescriptor = message("FieldDescriptorProto", {
  name: [1, "string"],
  number: [3, "int32"],
  label: [4, "int32"],
  type: [5, "int32"],
  type_name: [6, "string"],
});
const wireKinds: Readonly<Record<number, readonly string[]>> = {
  1: ["double"],
  2: ["float"],
  3: ["int64"],
  5: ["int32"],
  8: ["bool"],
  9: ["string"],
  11: ["message", "bytes"],
  12: ["bytes"],
  13: ["int32"],
  14: ["int32"],
};
const Descriptor = message("DescriptorProto", {
  name: [1, "string"],
  field: [2, FieldDescriptor, "repeated"],
  nested_type: [3, "bytes", "repeated"],
});
const FileDescriptor = message("FileDescriptorProto", { message_type: [4, "bytes", "repeated"] });

type Declared = Map<string, readonly { name?: string; number?: number; label?: number; type?: number }[]>;

function declare(bytes: Uint8Array, prefix: string, into: Declared): void {
  const { name = "", field = [], nested_type = [] } = Descriptor.decode(bytes);
  into.set(prefix + name, field);
  for (const each of nested_type) declare(each, `${prefix}${name}.`, into);
}

/** The messages as the server's own package declares them, read from the descriptors that PySpark carries. */
function serversMessages(): Declared {
  const found: Declared = new Map();
  const names = ["base", "commands", "relations", "expressions", "types", "common", "ml", "ml_common"];
  const files = names.map((name) => join(sparkPackage(), `sql/connect/proto/${name}_pb2.py`));
  const program = [
    "import ast, base64, re, sys",
    "for path in sys.argv[1:]:",
    "    tree = ast.parse(open(path).read())",
    "    print(*(base64.b64encode(n.value).decode() for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, bytes) and len(n.value) > 500))",
  ].join("\n");
  const lines = execFileSync("python3", ["-c", program, ...files], { encoding: "utf8", maxBuffer: 2 ** 26 });
  for (const text of lines.trim().split(/\s+/)) {
    const { message_type = [] } = FileDescriptor.decode(Buffer.from(text, "base64"));
    for (const each of message_type) declare(each, "", found);
  }
  return found;
}

describe.skipIf(!hasSparkPackage)("Spark's messages", () => {
  it("have the numbers and the types that the server's package declares", () => {
    const theirs = serversMessages();
    const ours = Object.values(messages).filter(
      (each): each is Message<object> => typeof each === "object" && "encode" in each,
    );
    expect(ours.length).toBeGreaterThan(30);
    const seen = new Set<string>();
    const wrong: string[] = [];
    const check = ({ name, fields }: Pick<Message<object>, "name" | "fields">) => {
      if (seen.has(name) || name.startsWith("google.")) return;
      seen.add(name);
      const declared = theirs.get(name);
      if (!declared) wrong.push(`${name} is no message`);
      for (const [field, [number, kind, often]] of Object.entries(fields)) {
        const found = declared?.find((each) => each.name === field);
        const expected = typeof kind === "string" ? kind : "message";
        const isSame =
          found?.number === number &&
          wireKinds[found.type ?? 0]?.includes(expected) &&
          (found.label === 3) === (often === "repeated");
        if (!isSame) wrong.push(`${name}.${field}`);
        if (typeof kind !== "string") check(kind);
      }
    };
    for (const each of ours) check(each);
    expect(wrong).toEqual([]);
    // Enumerations are plain numbers here; their names stand in the same files.
    const typed = readFileSync(join(sparkPackage(), "sql/connect/proto/base_pb2.pyi"), "utf8");
    for (const [name, number] of Object.entries(messages.explainModes))
      expect(typed).toMatch(new RegExp(`EXPLAIN_MODE_${name.toUpperCase()}: [\\w.]+  # ${number}\\b`));
    const interrupts = { ALL: "all", TAG: "tag", OPERATION_ID: "operation" } as const;
    for (const [theirName, ourName] of Object.entries(interrupts))
      expect(typed).toMatch(
        new RegExp(`INTERRUPT_TYPE_${theirName}: [\\w.]+  # ${messages.interruptTypes[ourName]}\\b`),
      );
  });
});
