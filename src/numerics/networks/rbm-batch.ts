import type { Room } from "./room.ts";

/** What a machine and a batch hold in one room. */
export interface BatchTables {
  readonly room: Room;
  readonly d: number;
  readonly hidden: number;
  readonly batch: number;
  /** From one row of hidden units to the next, in doubles. */
  readonly row: number;
  /** From one row of weights to the next, in doubles. */
  readonly stride: number;
  /** A row of weights per feature, and behind the last rows of zeros. */
  readonly weights: Float64Array;
  readonly hiddenBias: Float64Array;
  readonly visibleBias: Float64Array;
  /** The learning rate over the rows of the batch. */
  readonly step: Float64Array;
  /** The hidden units of the persistent chains, 0 or 1. */
  readonly chains: Float64Array;
  /** Hidden probabilities: of the batch's rows, then of the chains'. */
  readonly on: Float64Array;
  /** What the visible units of the chains receive, `visible` numbers each. */
  readonly received: Float64Array;
  readonly visible: number;
}

/** The products of a batch. Rows of visible units are those of the data, and the dreams that the chains make of them. */
export interface BatchProducts {
  /** The sums of each feature over the data and over the dreams. */
  readonly sums: { readonly data: Float64Array; readonly dreams: Float64Array };
  /** Takes `n` rows of data, and writes what the hidden units receive of them into `on`. */
  receiveData(rows: Float64Array, n: number): void;
  /** Writes what the visible units receive of the chains into `received`. */
  receiveChains(): void;
  /** Takes the dream of chain `b`, of zeros and ones, in the order of the chains. */
  putDream(b: number, row: Float64Array): void;
  /** Writes what the hidden units receive of the dreams into `on`. */
  receiveDreams(): void;
  /** weights += step · (data·hidden − dreams·hidden); may spoil `on`. */
  move(n: number): void;
}
