import { inspect } from "node:util";
import type { Block } from "../core/block.ts";
import { type View, viewOf } from "../core/view.ts";
import { declared } from "../registry/index.ts";
import { blockOf, type Helpers, toArgs } from "./helpers.ts";
import { tellWhenSeen } from "./looked-at.ts";
import type { EvaluateCall, MetricsCall, ModelCall, ModelSuffix, PredictCall, TrainCall } from "./models.ts";
import { print } from "./print.ts";
import type { Result } from "./result.ts";

/** Whatever runs blocks for chains: the session. */
export interface Conductor {
  /** Runs a block after a parent; `parent` null means after the session's last block. */
  enqueue(parent: Promise<Result> | null, block: Block, args: Record<string, unknown>): Chain;
  /** Runs a block that comes with the last model, or with the one named, such as its prediction. */
  enqueueModel(parent: Promise<Result> | null, suffix: ModelSuffix, args: ModelCall): Chain;
}

/** Every block as a method; see `help()` for all of them. */
export interface Chain extends Helpers {}

/**
 * A block that runs or ran, and those that may follow it.
 *
 * It runs at once, awaited or not. Awaiting it gives its Result; calling a helper runs the next block on it.
 */
export class Chain implements PromiseLike<Result> {
  readonly #conductor: Conductor;
  readonly #result: Promise<Result>;
  readonly #onFollowed: () => void;

  /** `onFollowed` hears that another block builds on this one, so that who calls looks at that one. */
  constructor(conductor: Conductor, result: Promise<Result>, onFollowed: () => void = () => undefined) {
    this.#conductor = conductor;
    this.#result = result;
    this.#onFollowed = onFollowed;
  }

  then<A = Result, B = never>(
    onFulfilled?: ((result: Result) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(onFulfilled, onRejected);
  }

  catch<B>(onRejected: (error: unknown) => B | PromiseLike<B>): Promise<Result | B> {
    return this.#result.catch(onRejected);
  }

  finally(onFinally: () => void): Promise<Result> {
    return this.#result.finally(onFinally);
  }

  /** Predicts with the chain's last model: the test rows where there is a split, or `test_data`. */
  predict(args: PredictCall = {}): Chain {
    return this.#conductor.enqueueModel(this.#followed(), "_P", args);
  }

  /** Judges the chain's last model, on test rows where there is a split. */
  metrics(args: MetricsCall = {}): Chain {
    return this.#conductor.enqueueModel(this.#followed(), "_M", args);
  }

  /** Trains the chain's last neural network and saves it, under `model_name` if given. */
  train(args: TrainCall = {}): Chain {
    return this.#conductor.enqueueModel(this.#followed(), "_T", args);
  }

  /** Judges the chain's last neural network, on test rows where there is a split. */
  evaluate(args: EvaluateCall = {}): Chain {
    return this.#conductor.enqueueModel(this.#followed(), "_E", args);
  }

  /** A second chain from here; neither disturbs the other. */
  branch(): Chain {
    return new Chain(this.#conductor, this.#followed());
  }

  /** Waits for the block and shows it. */
  async show(): Promise<void> {
    await print(await this.#result);
  }

  async [viewOf](): Promise<View> {
    return (await this.#result)[viewOf]();
  }

  [inspect.custom](): string {
    return "Chain { … } — await it for its result, or call the next block on it";
  }

  /**
   * Runs a block on this one; what the helpers call.
   *
   * @internal
   */
  follow(block: Block, passed: readonly unknown[]): Chain {
    return this.#conductor.enqueue(this.#followed(), block, toArgs(block, passed));
  }

  /** The result for what follows: an error is then told by the last link of the chain alone. */
  #followed(): Promise<Result> {
    this.#onFollowed();
    this.#result.catch(() => undefined);
    return this.#result;
  }
}

/** Gives a class its helpers, one method per block. */
export function addHelpers(
  prototype: object,
  call: (self: never, block: Block, passed: readonly unknown[]) => Chain,
): void {
  for (const block of declared) {
    const helper = function (this: never, ...passed: unknown[]) {
      return call(this, block, passed);
    };
    Object.defineProperty(helper, "name", { value: block.name });
    Object.defineProperty(helper, blockOf, { value: block });
    const told = `${block.name} (${block.code}) is a helper; call it, as in ${block.example}, or see help("${block.name}").`;
    tellWhenSeen(helper, told);
    Object.defineProperty(prototype, block.name, { value: helper, configurable: true });
  }
}

addHelpers(Chain.prototype, (self: Chain, block, passed) => self.follow(block, passed));
