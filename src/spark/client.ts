import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { Channel } from "./channel.ts";
import { type Connection, connectionOf, placeOf } from "./connection.ts";
import { SparkError } from "./errors.ts";
import { type Caller, execute } from "./execution.ts";
import { explained, isSessionLost } from "./failures.ts";
import {
  type AnalyzePlanRequest,
  DataType,
  explainModes,
  interruptTypes,
  type MlCommand,
  type MlCommandResult,
  operatorTypes,
  type PlanMessage,
} from "./messages.ts";
import * as methods from "./methods.ts";
import { whileAlive } from "./patience.ts";
import type { Of } from "./protobuf.ts";
import { type Arguments, type Estimator, parametersOf, type Relation, sql, type TypedLiteral } from "./relations.ts";
import { type RunOptions, SparkRows, tellProgress } from "./rows.ts";
import { type SparkField, typeOf } from "./types.ts";

/** How a server is asked. */
export interface ClientOptions {
  /** Certificates in PEM that are trusted in place of the well-known ones. */
  readonly certificates?: string;
  /** Settings of each session, such as { "spark.sql.shuffle.partitions": "8" }; its time zone is UTC unless told. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long the server may take to accept a connection, and to be back when it broke (default 8000). */
  readonly patienceMs?: number;
  /** After how long without a word, while it works, the server is asked whether it lives (default 30000). */
  readonly silenceMs?: number;
}

/** The oldest version whose SQL and protocol this client speaks. */
const oldestMajor = 4;

/** As much as the server takes in one message, with room for what is around it. */
const mostLocalBytes = 64 * 2 ** 20;

/** A session on the server, as far as the client knows of it. */
interface Session {
  readonly caller: Caller;
  readonly version: string;
  readonly serverSession: string | undefined;
  /** Has it views or settings that a new session would not have? */
  holdsState: boolean;
}

/**
 * A client of a Spark Connect server, version 4.0 or later.
 *
 * It connects when it is first asked, and begins a new session when the server has forgotten the old one. Failures are
 * SparkErrors, of one sentence; what an AbortSignal stops throws the signal's reason.
 */
export class SparkClient {
  readonly #connection: Connection;
  readonly #options: ClientOptions;
  readonly #channel: Channel;
  #session: Promise<Session> | null = null;

  /** The address is a connection string, `sc://HOST:15002/;token=…`. */
  constructor(address: string, options: ClientOptions = {}) {
    this.#connection = connectionOf(address);
    this.#options = options;
    this.#channel = new Channel(this.#connection, {
      patienceMs: this.#patienceMs,
      certificates: options.certificates,
    });
  }

  get #patienceMs(): number {
    return this.#options.patienceMs ?? 8000;
  }

  get #silenceMs(): number {
    return this.#options.silenceMs ?? 30_000;
  }

  /** What to call the server in sentences, such as `spark.example.org:15002`. */
  get place(): string {
    return placeOf(this.#connection);
  }

  /** The server's version, such as "4.0.1". */
  async version(): Promise<string> {
    return await this.#during(async ({ version }) => version);
  }

  /** The id of the session that is open, or of the one that this opens. */
  async sessionId(): Promise<string> {
    return await this.#during(async ({ caller }) => caller.session_id);
  }

  /** Works a relation out; nothing runs before its rows are asked for. */
  rows(relation: Relation, options: RunOptions = {}): SparkRows {
    return new SparkRows((count) => this.#responses({ root: relation.bytes }, options, count), options);
  }

  /** Runs one statement that answers no rows that are wanted, such as CREATE TABLE, INSERT or SET. */
  async command(statement: string, args: Arguments = {}, options: RunOptions = {}): Promise<void> {
    await this.#run({ command: { sql_command: { input: sql(statement, args).bytes } } }, options);
  }

  /** Gives a relation a name that queries of this session can read from; an older one of that name is replaced. */
  async createView(name: string, relation: Relation, options: RunOptions = {}): Promise<void> {
    if (relation.bytes.length > mostLocalBytes) {
      const [mb, most] = [relation.bytes.length, mostLocalBytes].map((bytes) => Math.ceil(bytes / 2 ** 20));
      const message = `Spark takes ${most} MB of rows from here at most, got ${mb} MB; write them to a file that it can read.`;
      throw new SparkError(message, { code: "TOO_LARGE" });
    }
    const view = { input: relation.bytes, name, is_global: false, replace: true };
    await this.#run({ command: { create_dataframe_view: view } }, options);
  }

  /** Fits a model of Spark's ML library there; answers the id by which the session knows it until `forget`. */
  async fit({ name, parameters }: Estimator, dataset: Relation, options: RunOptions = {}): Promise<string> {
    const estimator = { name, uid: `blocklab_${randomUUID().slice(0, 12)}`, type: operatorTypes.estimator };
    const fit = { estimator, params: parametersOf(parameters), dataset: dataset.bytes };
    const { operator_info } = await this.#learn({ fit }, options);
    return operator_info?.obj_ref?.id ?? "";
  }

  /** What a fitted model says of itself: a value, such as that of "toDebugString". */
  async fetch(model: string, method: string, options: RunOptions = {}): Promise<TypedLiteral> {
    const fetch = { obj_ref: { id: model }, methods: [{ method }] };
    return (await this.#learn({ fetch }, options)).param ?? {};
  }

  /** The ids of the models that a fitted model is made of, such as its "trees". */
  async parts(model: string, method: string, options: RunOptions = {}): Promise<readonly string[]> {
    const fetch = { obj_ref: { id: model }, methods: [{ method }] };
    const { operator_info } = await this.#learn({ fetch }, options);
    return operator_info?.obj_ref?.id?.split(",") ?? [];
  }

  /** Forgets fitted models, which the server keeps for the session. */
  async forget(models: readonly string[], options: RunOptions = {}): Promise<void> {
    await this.#learn({ delete: { obj_refs: models.map((id) => ({ id })) } }, options);
  }

  /** The columns of a relation, without working it out. */
  async schema(relation: Relation, signal?: AbortSignal): Promise<readonly SparkField[]> {
    const found = await this.#analyze({ schema: { plan: { root: relation.bytes } } }, signal);
    return typeOf(DataType.encode(found.schema?.schema ?? {})).fields ?? [];
  }

  /** The files that a relation's rows come of, as far as the server knows; nothing is read. */
  async files(relation: Relation, signal?: AbortSignal): Promise<readonly string[]> {
    const found = await this.#analyze({ input_files: { plan: { root: relation.bytes } } }, signal);
    return found.input_files?.files ?? [];
  }

  /** How the server would work a relation out, in its own words. */
  async explain(
    relation: Relation,
    mode: keyof typeof explainModes = "formatted",
    signal?: AbortSignal,
  ): Promise<string> {
    const explain = { plan: { root: relation.bytes }, explain_mode: explainModes[mode] };
    return (await this.#analyze({ explain }, signal)).explain?.explain_string ?? "";
  }

  /** The session's settings of these names; undefined where one is not set. */
  async settings(...names: readonly string[]): Promise<Readonly<Record<string, string | undefined>>> {
    return await this.#during(async (session) => {
      const operation = { get_option: { keys: names } };
      const { pairs = [] } = await this.#channel.ask(methods.config, { ...asking(session), operation });
      return Object.fromEntries(pairs.map(({ key = "", value }) => [key, value]));
    });
  }

  /** Changes settings of this session. */
  async set(settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#during(async (session) => {
      await this.#configure(asking(session), settings);
      session.holdsState = true;
    });
  }

  /** Interrupts what runs in this session: under a tag, or all of it. Answers how many operations that were. */
  async interrupt(tag?: string): Promise<number> {
    return await this.#during(async ({ caller }) => {
      const what =
        tag === undefined
          ? { interrupt_type: interruptTypes.all }
          : { interrupt_type: interruptTypes.tag, operation_tag: tag };
      const { interrupted_ids = [] } = await this.#channel.ask(methods.interrupt, { ...caller, ...what });
      return interrupted_ids.length;
    });
  }

  /** Ends the session, with its views and what still runs in it. */
  async close(): Promise<void> {
    const session = await this.#session?.catch(() => null);
    this.#session = null;
    if (session) await this.#channel.ask(methods.releaseSession, session.caller).catch(() => undefined);
    this.#channel.close();
  }

  /** To look at files the server may run jobs, so it may take its time as long as it lives. */
  async #analyze(question: Of<typeof AnalyzePlanRequest>, signal?: AbortSignal) {
    return await this.#during(async (session) => {
      const given = new AbortController();
      const either = signal ? AbortSignal.any([signal, given.signal]) : given.signal;
      const how = { signal: either, mayTakeLong: true };
      const answer = this.#channel.ask(methods.analyzePlan, { ...asking(session), ...question }, how);
      const askForLife = () => this.#channel.ask(methods.analyzePlan, { ...session.caller, spark_version: {} });
      return await whileAlive(answer, askForLife, this.#silenceMs, () => given.abort());
    }, signal);
  }

  async #learn(ml_command: Of<typeof MlCommand>, options: RunOptions): Promise<Of<typeof MlCommandResult>> {
    let found: Of<typeof MlCommandResult> = {};
    for await (const response of this.#responses({ command: { ml_command } }, options)) {
      tellProgress(response, options);
      found = response.ml_command_result ?? found;
    }
    const session = await this.#session;
    if (session) session.holdsState = true;
    return found;
  }

  async #run(plan: PlanMessage, options: RunOptions): Promise<void> {
    for await (const response of this.#responses(plan, options)) tellProgress(response, options);
    const session = await this.#session;
    if (session) session.holdsState = true;
  }

  /** The server's responses; a session that it has forgotten is begun anew, unless rows came already. */
  async *#responses(plan: PlanMessage, { signal, tags = [] }: RunOptions, rows: () => number = () => 0) {
    const [patienceMs, silenceMs] = [this.#patienceMs, this.#silenceMs];
    for (let isAgain = false; ; isAgain = true) {
      const session = await this.#during(async (found) => found, signal);
      const { caller, serverSession } = session;
      const task = { caller, serverSession, operation: randomUUID(), plan, tags, signal, patienceMs, silenceMs };
      let hasBegun = false;
      try {
        for await (const response of execute(this.#channel, task)) {
          hasBegun = true;
          yield response;
        }
        return;
      } catch (error) {
        signal?.throwIfAborted();
        const isLost = isSessionLost(error);
        if (isLost) this.#session = null;
        if (!isLost || hasBegun || isAgain || session.holdsState) {
          throw explained(error, this.#connection, { hasBegun, rows: rows() });
        }
      }
    }
  }

  /** Asks within the session; one that the server has forgotten is begun anew, and what was asked is asked again. */
  async #during<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      let session: Session | undefined;
      try {
        this.#session ??= this.#begin();
        const beginning = this.#session;
        session = await beginning.catch((error) => {
          if (this.#session === beginning) this.#session = null;
          throw error;
        });
        signal?.throwIfAborted();
        return await work(session);
      } catch (error) {
        signal?.throwIfAborted();
        const isLost = isSessionLost(error);
        if (isLost) this.#session = null;
        if (!isLost || isAgain || session?.holdsState)
          throw explained(error, this.#connection, session ? "question" : "greeting");
      }
    }
  }

  /** Greets the server, which shows what it is and whether it lets us in, and makes the session's settings. */
  async #begin(): Promise<Session> {
    const { userId = nameHere(), userAgent = "blocklab", sessionId } = this.#connection;
    const caller: Caller = {
      session_id: sessionId ?? randomUUID(),
      user_context: { user_id: userId, user_name: userId },
      client_type: userAgent,
    };
    const found = await this.#channel.ask(methods.analyzePlan, { ...caller, spark_version: {} });
    const version = found.spark_version?.version ?? "";
    if (!(Number.parseInt(version, 10) >= oldestMajor)) {
      const got = /^\d[\w.-]*$/.test(version) ? `it has ${version.slice(0, 20)}` : "it names no version";
      const message = `Spark at ${this.place} must have version 4.0 or later, and ${got}; ask for another server.`;
      throw new SparkError(message, { code: "OLD_SERVER" });
    }
    const session = { caller, version, serverSession: found.server_side_session_id || undefined, holdsState: false };
    await this.#configure(asking(session), { "spark.sql.session.timeZone": "UTC", ...this.#options.settings });
    return session;
  }

  async #configure(who: ReturnType<typeof asking>, settings: Readonly<Record<string, string>>): Promise<void> {
    const pairs = Object.entries(settings).map(([key, value]) => ({ key, value }));
    await this.#channel.ask(methods.config, { ...who, operation: { set: { pairs } } });
  }
}

/** What every request of a session tells. */
function asking({ caller, serverSession }: Pick<Session, "caller" | "serverSession">) {
  return { ...caller, client_observed_server_side_session_id: serverSession };
}

/** The user's name on this machine, as PySpark tells it. */
function nameHere(): string {
  try {
    return userInfo().username;
  } catch {
    // An id without a name, as containers have it.
    return "blocklab";
  }
}
