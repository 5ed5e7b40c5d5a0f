import { startChild } from "../../../bench/harness/processes/child.ts";
import type { Stage } from "../stage.ts";
import type { Misbehaviour } from "./misbehave.ts";

/** One request that reached the external system. */
export interface Arrival {
  readonly id: string;
  readonly seq: number;
  /** Position in the lane, from the header. */
  readonly position: string;
  readonly order: string;
  readonly attempt: number;
  readonly userEmail: string;
  readonly at: number;
  /** Time of the answer; the same as `at` until then. */
  answeredAt: number;
  readonly tick: number;
  /** When it was answered with success, on the same scale as `tick`; null if it was not. */
  acceptedTick: number | null;
  misbehaved: Misbehaviour | null;
}

export interface Manner {
  /** Used in turn for the first attempt of each entry; null is a good answer. */
  readonly misbehaviour?: readonly (Misbehaviour | null)[];
  /** Whether every attempt misbehaves, not only the first. */
  readonly always?: boolean;
  /** Orders whose events are always refused. */
  readonly poisoned?: readonly string[];
  /** Good answers take up to this long. */
  readonly latencyMs?: number;
}

export type ReceiverJob =
  | { readonly do: "behave"; readonly manner: Manner }
  | { readonly do: "go down" | "come up" | "show" | "count" | "forget" };

export interface ReceiverCounts {
  readonly arrivals: number;
  /** Number of different ids that were answered with success. */
  readonly accepted: number;
  readonly elsewhereVisits: number;
  readonly lastAt: number | null;
}

export interface Receiver {
  readonly url: string;
  readonly behave: (manner: Manner) => Promise<unknown>;
  readonly goDown: () => Promise<unknown>;
  readonly comeUp: () => Promise<unknown>;
  readonly forget: () => Promise<unknown>;
  readonly count: () => Promise<ReceiverCounts>;
  readonly arrivals: () => Promise<readonly Arrival[]>;
}

/**
 * Starts a separate process: it must go on when the service is killed, and must not share an event loop with the floor.
 */
export async function startReceiver(stage: Stage): Promise<Receiver> {
  const child = await startChild(new URL("./receiver-process.ts", import.meta.url));
  stage.onEnd(child.stop);
  let last: Promise<unknown> = Promise.resolve();
  // One job at a time, because the next message counts as the answer.
  const run = <Result>(job: ReceiverJob): Promise<Result> => {
    const result = last.then(() => child.run<Result>(job));
    last = result.catch(() => {});
    return result;
  };
  return {
    url: (child.ready as { url: string }).url,
    behave: (manner) => run({ do: "behave", manner }),
    goDown: () => run({ do: "go down" }),
    comeUp: () => run({ do: "come up" }),
    forget: () => run({ do: "forget" }),
    count: () => run<ReceiverCounts>({ do: "count" }),
    arrivals: () => run<readonly Arrival[]>({ do: "show" }),
  };
}
