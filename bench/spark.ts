/**
 * Times a chain on a table that stays on Apache Spark beside PySpark and DuckDB, step by step; prints a markdown table.
 *
 * node bench/spark.ts [rows=5000000]. The table has 8 columns: 4 floats of which 2 have gaps, an integer, 2 texts, and a
 * target. DuckDB writes it as 8 Parquet files into a temporary folder. BLOCKLAB_SPARK names a Python environment with
 * pyspark (see .ci/spark), BLOCKLAB_PYTHON a Python of the same version with numpy (see .ci/python), which MLlib needs.
 *
 * Ours is a service in a process of its own, asked over HTTP, and a Connect server on local[2]. PySpark has the same
 * settings and memory, and a process with a Java of its own; its lines are those that its users write, MLlib's among
 * them. DuckDB works in this process, on two threads. A step ends when what it learnt is known, and the first rows are
 * there; ours count the missing cells of each column for that, the other sides do so for the first step. Quartiles of
 * ours are exact, those of the others are not. All sides finish a step before one begins the next.
 *
 * Printed are seconds by the clock and, in brackets, of processor time: of ours and its server together, of Python and
 * its Java together. "Jobs" are Spark's, and "read" is how many times all rows were read. Linux alone. Only run when it
 * is named.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { httpLink } from "../src/client/http.ts";
import { viewOf } from "../src/core/view.ts";
import { linearOfProducts } from "../src/numerics/linear/linear.ts";
import { type Result, Session } from "../src/session/index.ts";
import { SparkClient } from "../src/spark/index.ts";
import { endGroup, hasSparkPackage, sparkPackage, startSpark } from "../test/support/spark.ts";
import {
  inFolder,
  printTable,
  processorSecondsOf,
  pythonWith,
  residentOf,
  type Service,
  withService,
} from "./measure.ts";

const rows = Number(process.argv[2] ?? 5_000_000);
const files = 8;
const memory = "2g";
const numbers = ["a", "b", "c", "d", "n"];
const texts = ["city", "kind"];
const bins = 50;

const steps = ["input", "missing", "encode", "scale", "split", "linear", "describe", "histogram"] as const;
type Step = (typeof steps)[number];

/** What a step found, by which the sides are compared. */
type Found = Readonly<Record<string, number>>;

/** Who works the steps out. */
interface Side {
  /** Seconds of processor time so far. */
  busy(): number;
  run(step: Step): Promise<Found>;
  /** Where Spark writes down what it did; null where there is no Spark. */
  readonly log: string | null;
}

/** A step on one side. */
interface Done {
  readonly began: number;
  readonly ended: number;
  readonly busy: number;
  readonly found: Found;
}

const PYTHON = `
import json, os, sys
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.regression import LinearRegression
from pyspark.sql import SparkSession, functions as F
path, settings = sys.argv[1], json.loads(sys.argv[2])
builder = SparkSession.builder.master("local[2]")
for name, value in settings.items(): builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
numbers, texts = ${JSON.stringify(numbers)}, ${JSON.stringify(texts)}
class table: pass
def input():
    table.df = spark.read.parquet(path)
    rows = table.df.count(); table.df.show(5)
    gaps = table.df.select([F.count(F.when(F.col(c).isNull(), 1)).alias(c) for c in table.df.columns]); gaps.show()
    return {"rows": rows}
def missing():
    means = table.df.select([F.mean(c).alias(c) for c in numbers]).first().asDict()
    table.df = table.df.fillna(means); table.df.show(5)
    return {}
def encode():
    for c in texts:
        found = sorted(row[0] for row in table.df.select(c).distinct().collect())
        for each in found: table.df = table.df.withColumn(f"{c}_{each}", F.when(F.col(c) == each, 1).otherwise(0))
    table.df = table.df.drop(*texts); table.df.show(5)
    return {}
def scale():
    asked = [f(c).alias(f"{name} of {c}") for c in numbers for name, f in (("center", F.mean), ("scale", F.stddev_pop))]
    learnt = table.df.select(asked).first().asDict()
    for c in numbers: table.df = table.df.withColumn(c, (F.col(c) - learnt[f"center of {c}"]) / learnt[f"scale of {c}"])
    table.df.show(5)
    return {"columns": len(table.df.columns)}
def split():
    # randomSplit() sorts all rows each time a side is read; this is the way without.
    sides = table.df.withColumn("side", F.rand(0) < 0.75)
    table.train, test = sides.where("side").drop("side"), sides.where("not side").drop("side")
    table.train.show(5)
    train, test = table.train.count(), test.count()
    return {"share that trains": train / (train + test)}
def linear():
    features = [c for c in table.df.columns if c != "y"]
    x = VectorAssembler(inputCols=features, outputCol="features").transform(table.train)
    model = LinearRegression(featuresCol="features", labelCol="y").fit(x)
    return {f"slope of {c}": float(model.coefficients[features.index(c)]) for c in numbers}
def describe():
    found = {row["summary"]: row for row in table.df.summary().collect()}
    called = {"mean": "mean", "stddev": "std", "min": "min", "25%": "25%", "50%": "50%", "75%": "75%", "max": "max"}
    return {f"{called[name]} of {c}": float(found[name][c]) for c in numbers for name in called}
def histogram():
    low, high = table.df.select(F.min("a"), F.max("a")).first()
    place = F.least(F.floor((F.col("a") - low) / ((high - low) / ${bins})), F.lit(${bins - 1}))
    counts = [row[1] for row in table.df.groupBy(place).count().collect()]
    return {"fullest bin": max(counts)}
answers = os.fdopen(3, "w")
def answer(what): answers.write(json.dumps(what) + "\\n"); answers.flush()
answer({"java": spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()})
for line in sys.stdin: answer(globals()[line.strip()]())
spark.stop()
`;

/** Settings that both Sparks have; what they do is written down in a folder of theirs. */
function settingsFor(log: string): Record<string, string> {
  mkdirSync(log);
  return {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.dir": `file://${log}`,
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
  };
}

/** Writes the table, so that a part of it has the same rows however many there are. */
async function writeTable(folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const duck = await instance.connect();
  const noise = (k: number) => `(hash(i * 8 + ${k}) % 1000003) / 1000003.0`;
  const cells = `CASE WHEN i % 11 = 3 THEN NULL ELSE round(100 * ${noise(0)}, 3) END AS a,
    CASE WHEN i % 17 = 5 THEN NULL ELSE ln(1e-6 + ${noise(1)}) END AS b,
    sqrt(${noise(2)}) * 1000 AS c, ${noise(3)} + ${noise(4)} + ${noise(5)} AS d, CAST(90 * ${noise(6)} AS INTEGER) AS n,
    ['Accra', 'Cairo', 'Lagos', 'Nairobi', 'Tunis', 'Windhoek'][1 + CAST(hash(i + 7) % 6 AS INTEGER)] AS city,
    ['new', 'old', 'rent'][1 + CAST(hash(i + 9) % 3 AS INTEGER)] AS kind`;
  for (let k = 0; k < files; k++) {
    const [from, to] = [k, k + 1].map((part) => Math.round((part * rows) / files));
    const select = `SELECT *, 0.3 * coalesce(a, 50) - 4 * coalesce(b, -1) + c / 50 + 7 * d - n / 10.0
      + length(city) + hash(a) % 1000 / 100.0 AS y FROM (SELECT ${cells} FROM range(${from}, ${to}) AS t(i))`;
    await duck.run(`COPY (${select}) TO '${join(folder, `part-${k}.parquet`)}' (FORMAT parquet)`);
  }
  duck.closeSync();
  instance.closeSync();
}

/** Ours: what users call, on a service. */
function blocklab({ url, child }: Service, java: number, log: string): Side {
  const session = new Session(async () => httpLink({ url, key: "bench" }));
  const made: { last?: Result; table?: Result } = {};
  const shown = async (chain: PromiseLike<Result>) => {
    const result = await chain;
    await result[viewOf]();
    return result;
  };
  const next = async (block: (last: Result) => PromiseLike<Result>) => {
    made.last = await shown(block(made.last!));
    return made.last;
  };
  const work: Record<Step, () => Promise<Found>> = {
    async input() {
      made.last = await shown(session.input({ dburl: "spark:bench", keep: true }));
      return { rows: (await made.last.dataset.shape()).rows };
    },
    async missing() {
      await next((last) => last.missing({ strategy: "mean" }));
      return {};
    },
    async encode() {
      await next((last) => last.encode({ columns: texts }));
      return {};
    },
    async scale() {
      made.table = await next((last) => last.scale({ columns: numbers }));
      return { columns: (await made.table.dataset.shape()).columns.length };
    },
    async split() {
      const { x_train: train } = await next((last) => last.xy({ y: "y" }).split({ test_size: 0.25, random_state: 0 }));
      return { "share that trains": (await train.shape()).rows / rows };
    },
    async linear() {
      const { features, parameters } = await (await next((last) => last.linear())).model.json();
      const { coef } = parameters as { coef: { data: readonly number[] } };
      const names = features.map(({ name }) => name);
      return Object.fromEntries(numbers.map((c) => [`slope of ${c}`, coef.data[names.indexOf(c)]]));
    },
    async describe() {
      const { columns } = (await shown(made.table!.describe())).output as Described;
      const measures = Object.keys(columns.a).filter((name) => name !== "count");
      return Object.fromEntries(numbers.flatMap((c) => measures.map((name) => [`${name} of ${c}`, columns[c][name]])));
    },
    async histogram() {
      const counted = (await shown(made.table!.histogram("a", { bins }))).output as { bins: { n: number }[] };
      return { "fullest bin": Math.max(...counted.bins.map(({ n }) => n)) };
    },
  };
  return {
    log,
    busy: () => processorSecondsOf(Number(child.pid)) + processorSecondsOf(java),
    run: (step) => work[step](),
  };
}

interface Described {
  readonly columns: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** PySpark: one line asks for a step, one answers what it found. */
async function pyspark(python: ChildProcess, log: string): Promise<Side> {
  const answers = createInterface({ input: python.stdio[3] as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await answers.next();
    if (done) throw new Error("PySpark ended early");
    return JSON.parse(value) as Found;
  };
  const { java } = await answer();
  return {
    log,
    busy: () => processorSecondsOf(Number(python.pid)) + processorSecondsOf(java),
    async run(step) {
      python.stdin?.write(`${step}\n`);
      return await answer();
    },
  };
}

/** DuckDB: a view for each step, and what it must know by a query. */
function duckdb(duck: DuckDBConnection, table: string): Side {
  const ask = async (text: string) => (await duck.runAndReadAll(text)).getRowObjectsJson() as Record<string, never>[];
  let columns = [...numbers, ...texts, "y"];
  let from = "v0";
  const view = async (cells: readonly string[]) => {
    const name = `v${Number(from.slice(1)) + 1}`;
    await duck.run(`CREATE VIEW ${name} AS SELECT ${cells.join(", ")}, side FROM ${from}`);
    from = name;
    columns = cells.map((cell) => cell.split(" AS ").at(-1)!);
    await ask(`FROM ${name} LIMIT 5`);
  };
  const learnt = async (measures: readonly string[]) => {
    const asked = measures.flatMap((name) => numbers.map((c) => `${name}(${c}) AS "${name} of ${c}"`));
    return (await ask(`SELECT ${asked.join(", ")} FROM ${from}`))[0];
  };
  const work: Record<Step, () => Promise<Found>> = {
    async input() {
      const read = `read_parquet('${table}/*.parquet', file_row_number = true, filename = true)`;
      await duck.run(`CREATE VIEW v0 AS SELECT *, hash(filename, file_row_number) % 4 > 0 AS side FROM ${read}`);
      await ask("FROM v0 LIMIT 5");
      const [found] = await ask(
        `SELECT count(*) AS n, ${columns.map((c) => `count(*) - count(${c})`).join(", ")} FROM v0`,
      );
      return { rows: Number(found.n) };
    },
    async missing() {
      const means = await learnt(["avg"]);
      await view(columns.map((c) => (numbers.includes(c) ? `coalesce(${c}, ${means[`avg of ${c}`]}) AS ${c}` : c)));
      return {};
    },
    async encode() {
      let cells = columns.filter((c) => !texts.includes(c));
      for (const c of texts) {
        const found = await ask(`SELECT DISTINCT ${c} AS word FROM ${from} ORDER BY 1`);
        cells = [...cells, ...found.map(({ word }) => `CASE WHEN ${c} = '${word}' THEN 1 ELSE 0 END AS ${c}_${word}`)];
      }
      await view(cells);
      return {};
    },
    async scale() {
      const found = await learnt(["avg", "stddev_pop"]);
      const scaled = (c: string) => `(${c} - ${found[`avg of ${c}`]}) / ${found[`stddev_pop of ${c}`]} AS ${c}`;
      await view(columns.map((c) => (numbers.includes(c) ? scaled(c) : c)));
      return { columns: columns.length };
    },
    async split() {
      await ask(`FROM ${from} WHERE side LIMIT 5`);
      const [found] = await ask(`SELECT count_if(side) AS train, count_if(NOT side) AS test FROM ${from}`);
      const [train, test] = [found.train, found.test].map(Number);
      return { "share that trains": train / (train + test) };
    },
    async linear() {
      // Of the columns of each text one says nothing new.
      const x = columns.filter((c) => !["y", "city_Windhoek", "kind_rent"].includes(c));
      const all = [...x, "y", "1"];
      const sums = all.flatMap((a, i) =>
        all.slice(0, i + 1).map((b, j) => `sum(${a}::DOUBLE * ${b}) AS s${i * all.length + j}`),
      );
      const [found] = await ask(`SELECT ${sums.join(", ")} FROM ${from} WHERE side`);
      const products = new Float64Array(all.length ** 2);
      for (const [name, sum] of Object.entries(found)) products[Number(name.slice(1))] = sum;
      const n = products.at(-1)!;
      const parts = [{ n, sums: products, width: all.length }];
      const line = linearOfProducts({ parts, shift: new Float64Array(all.length - 1), intercept: true });
      if (line.kind !== "fitted") throw new Error("the features depend on each other");
      return Object.fromEntries(numbers.map((c) => [`slope of ${c}`, line.coef[x.indexOf(c)]]));
    },
    async describe() {
      const quartiles = [25, 50, 75].map((q) => (c: string) => `approx_quantile(${c}, ${q / 100}) AS "${q}% of ${c}"`);
      const measures = ["avg", "stddev", "min", "max"].map((name) => (c: string) => `${name}(${c})`);
      const asked = columns.flatMap((c) => [`count(${c})`, ...[...measures, ...quartiles].map((write) => write(c))]);
      const [found] = await ask(`SELECT ${asked.join(", ")} FROM ${from}`);
      const names = Object.keys(found).filter((name) => numbers.some((c) => name.endsWith(`% of ${c}`)));
      return Object.fromEntries(names.map((name) => [name, found[name]]));
    },
    async histogram() {
      const [{ low, high }] = await ask(`SELECT min(a) AS low, max(a) AS high FROM ${from}`);
      const place = `least(floor((a - ${low}) / (${high - low} / ${bins})), ${bins - 1})`;
      const found = await ask(`SELECT ${place} AS place, count(*) AS n FROM ${from} GROUP BY 1`);
      return { "fullest bin": Math.max(...found.map(({ n }) => Number(n))) };
    },
  };
  const ownSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  return { log: null, busy: ownSeconds, run: (step) => work[step]() };
}

/** What Spark did between two moments: how many jobs, and how many rows its tasks read from files. */
function toldOf(log: string | null, { began, ended }: Pick<Done, "began" | "ended">): string {
  if (log === null) return "";
  const [file] = readdirSync(log);
  let [jobs, read] = [0, 0];
  for (const line of readFileSync(join(log, file), "utf8").split("\n")) {
    const isJob = line.startsWith('{"Event":"SparkListenerJobStart"');
    if (!isJob && !line.startsWith('{"Event":"SparkListenerTaskEnd"')) continue;
    const event = JSON.parse(line);
    const at = isJob ? event["Submission Time"] : event["Task Info"]["Launch Time"];
    if (at < began || at > ended) continue;
    if (isJob) jobs += 1;
    else read += event["Task Metrics"]?.["Input Metrics"]?.["Records Read"] ?? 0;
  }
  return `${jobs} jobs, ${(read / rows).toFixed(1)}× read`;
}

/** Do the sides agree on what they found? Samples differ, and so do quantiles that are guessed. */
function differences(ours: Found, theirs: Found): string[] {
  // A guessed quartile may be the next of few values.
  const near = (name: string) =>
    /^\d+%/.test(name) ? 0.05 : /^(slope|share)/.test(name) ? 0.02 : /bin/.test(name) ? 0.001 : 1e-9;
  return Object.entries(ours).flatMap(([name, own]) => {
    const other = theirs[name] ?? own;
    const isNear = Math.abs(own - other) <= near(name) * Math.max(1, Math.abs(own));
    return isNear ? [] : [`${name}: ${own} and ${other}`];
  });
}

/** Runs the steps on all sides, each before the next, and prints them as they end. */
async function race(sides: Readonly<Record<string, Side>>): Promise<Record<string, Done[]>> {
  const done: Record<string, Done[]> = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (const step of steps) {
    for (const [name, side] of Object.entries(sides)) {
      const [began, before] = [Date.now(), side.busy()];
      const found = await side.run(step);
      const each = { began, ended: Date.now(), busy: side.busy() - before, found };
      done[name].push(each);
      console.error(`${step}, ${name}: ${secondsOf(each)} s`);
    }
  }
  return done;
}

function secondsOf({ began, ended, busy }: Pick<Done, "began" | "ended" | "busy">): string {
  return `${((ended - began) / 1000).toFixed(1)} (${busy.toFixed(1)})`;
}

/** How many times as long ours took, by the clock and in processor time. */
function timesOf(ours: Pick<Done, "began" | "ended" | "busy">, theirs: Pick<Done, "began" | "ended" | "busy">): string {
  const clock = (ours.ended - ours.began) / (theirs.ended - theirs.began);
  return `${clock.toFixed(2)} (${(ours.busy / theirs.busy).toFixed(2)})`;
}

if (!Number.isInteger(rows) || rows < 1000) {
  console.error("bench spark: rows is a whole number of at least 1000.");
  process.exit(2);
}
const python = pythonWith("numpy");
if (!hasSparkPackage || !python) {
  console.error(
    "bench spark: BLOCKLAB_SPARK must name a folder with pyspark, BLOCKLAB_PYTHON a Python that has numpy.",
  );
  process.exit(2);
}

const children: ChildProcess[] = [];
let isStopped = false;
let duckAtWork: DuckDBConnection | null = null;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    isStopped = true;
    // What waits for them fails, and all that was made is removed on the way out.
    for (const { pid } of children) endGroup(pid);
    duckAtWork?.interrupt();
  });
}

try {
  await inFolder(async (folder) => {
    const table = join(folder, "table");
    mkdirSync(table);
    const start = performance.now();
    await writeTable(table);
    const bytes = readdirSync(table).reduce((sum, file) => sum + statSync(join(table, file)).size, 0);
    console.error(
      `${rows} rows, ${(bytes / 2 ** 20).toFixed(0)} MiB, written in ${((performance.now() - start) / 1000).toFixed(0)} s`,
    );
    const logs = ["ours", "theirs"].map((name) => join(folder, `${name}.log`));
    const home = join(folder, "server");
    mkdirSync(home);
    const server = await startSpark({ home, memory, settings: settingsFor(logs[0]) });
    children.push(server.process);
    const settings = { ...settingsFor(logs[1]), "spark.driver.memory": memory, "spark.local.dir": folder };
    const py = spawn(python, ["-c", PYTHON, table, JSON.stringify(settings)], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore", "pipe"],
      env: { ...process.env, PYTHONPATH: join(sparkPackage(), ".."), SPARK_LOCAL_IP: "127.0.0.1" },
    });
    children.push(py);
    const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
    try {
      duckAtWork = await instance.connect();
      const address = `sc://127.0.0.1:${server.port}`;
      const client = new SparkClient(address);
      await client.command(`CREATE TABLE bench USING parquet LOCATION 'file://${table}'`);
      await client.close();
      const words = ["--home", join(folder, "home"), "--engine", `spark=${address}`];
      await withService("bench", words, async (service) => {
        children.push(service.child);
        const sides = {
          blocklab: blocklab(service, Number(server.process.pid), logs[0]),
          PySpark: await pyspark(py, logs[1]),
          DuckDB: duckdb(duckAtWork!, table),
        };
        report(await race(sides), sides);
        const { most } = residentOf(Number(service.child.pid));
        console.log(`\nThe service, a process of its own, had ${most.toFixed(0)} MiB resident at most.`);
      });
    } finally {
      instance.closeSync();
      endGroup(py.pid);
      await server.stop();
    }
  });
} catch (error) {
  if (!isStopped) throw error;
  console.error("bench spark: stopped.");
  process.exitCode = 130;
}

function report(done: Record<string, Done[]>, sides: Readonly<Record<string, Side>>): void {
  const { blocklab: mine, PySpark: theirs, DuckDB: ducks } = done;
  const whole = (all: readonly Done[]) => ({
    began: 0,
    ended: all.reduce((sum, { began, ended }) => sum + ended - began, 0),
    busy: all.reduce((sum, { busy }) => sum + busy, 0),
  });
  const line = (
    name: string,
    [a, b, c]: readonly Pick<Done, "began" | "ended" | "busy">[],
    told: readonly string[],
  ) => [name, secondsOf(a), secondsOf(b), timesOf(a, b), secondsOf(c), timesOf(a, c), ...told];
  const lines = steps.map((step, k) =>
    line(
      step,
      [mine[k], theirs[k], ducks[k]],
      [toldOf(sides.blocklab.log, mine[k]), toldOf(sides.PySpark.log, theirs[k])],
    ),
  );
  console.log(`${rows.toLocaleString("en")} × 8 in Parquet files: seconds (of processor time)\n`);
  printTable(
    ["step", "blocklab", "PySpark", "times as long", "DuckDB", "times as long", "our Spark", "PySpark's"],
    [...lines, line("all", [mine, theirs, ducks].map(whole), ["", ""])],
  );
  const others = { PySpark: theirs, DuckDB: ducks };
  for (const [name, other] of Object.entries(others)) {
    const different = mine.flatMap(({ found }, k) => differences(found, other[k].found));
    console.log(`\n${name} and we found the same: ${different.length === 0 ? "yes" : `NO (${different.join("; ")})`}.`);
    if (different.length > 0) process.exitCode = 1;
  }
}
