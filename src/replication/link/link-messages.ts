import type { MessagePort } from "node:worker_threads";
import type { Change } from "../change.ts";
import type { Owner } from "../postgres/change-log.ts";
import type { ClientOptions } from "../postgres/open-client.ts";

/** What the writer requests from the thread that talks to PostgreSQL. */
export type LinkCall =
  /** `isUnknown`: PostgreSQL may have it already, because the writer has sent it itself and got no answer. */
  { readonly append: Change; readonly isUnknown?: boolean } | { readonly changesAfter: number };

export type LinkAnswer =
  /** PostgreSQL has the change. */
  | { readonly stored: true }
  | { readonly changes: readonly Change[] }
  /** The change is not stored, or may not be; the reason is for people. */
  | { readonly refused: string; readonly isDoubtful?: boolean };

/** A message with a number, because the writer may have given up waiting for an earlier one. */
export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}

/** What a writer that waits for an answer is told. `over`: the link has ended, and there will be no answer any more. */
export const callState = { waiting: 0, answered: 1, over: 2 } as const;

/** How a writer connects to PostgreSQL itself. */
export interface DirectSettings extends ClientOptions {
  readonly owner: Owner;
}

/** Passed to the writer's thread. */
export interface ReplicaOptions {
  readonly port: MessagePort;
  /**
   * Two 32-bit numbers: one of `callState`, and the writer sleeps until it changes; and 1 as soon as this process may
   * store nothing more.
   */
  readonly callState: SharedArrayBuffer;
  /** How the writer stores its commits itself; null: only the other thread talks to PostgreSQL. */
  readonly direct: DirectSettings | null;
  /** How long the writer waits for an answer, at most. */
  readonly patienceMs: number;
  /** One 64-bit number: the `process.hrtime` in nanoseconds from which the current lease counts. */
  readonly renewedAt: SharedArrayBuffer;
  readonly leaseMs: number;
}

/** Whether the lease is certainly still valid at this moment, even right after this process was paused. */
export const isLeased = ({ renewedAt, leaseMs }: Pick<ReplicaOptions, "renewedAt" | "leaseMs">): boolean =>
  sinceRenewedMs(renewedAt) < leaseMs;

/** How long ago the statement was sent that renewed the lease last. */
export const sinceRenewedMs = (renewedAt: SharedArrayBuffer): number =>
  Number(process.hrtime.bigint() - Atomics.load(new BigInt64Array(renewedAt), 0)) / 1e6;

/**
 * Notes that a statement has renewed the lease; with the `process.hrtime` when it was sent. Of two statements whose
 * answers cross, the later one counts.
 */
export function noteRenewed(renewedAt: SharedArrayBuffer, sentAt: bigint): void {
  const time = new BigInt64Array(renewedAt);
  for (let before = Atomics.load(time, 0); before < sentAt; ) {
    const found = Atomics.compareExchange(time, 0, before, sentAt);
    if (found === before) return;
    before = found;
  }
}

/** Passed to the thread that talks to PostgreSQL when it starts. */
export interface LinkThreadSettings {
  readonly url: string;
  /** The name shown in `pg_stat_activity`. */
  readonly name: string;
  /** How long a commit is retried before it is refused. */
  readonly patienceMs: number;
  /** The most connections at the same time. */
  readonly connections: number;
}

/** Passed to the thread for each deployment that it keeps. */
export interface LinkSettings {
  readonly deployment: string;
  /** The other end belongs to `open-link.ts`. */
  readonly control: MessagePort;
  /** The other end belongs to the journal's writer. */
  readonly port: MessagePort;
  readonly callState: SharedArrayBuffer;
  /** One 64-bit number: the `process.hrtime` in nanoseconds from which the current lease counts. */
  readonly renewedAt: SharedArrayBuffer;
  /** How long a commit is retried before it is refused. */
  readonly patienceMs: number;
}

export type ToLink =
  /** The first message: this process owns the deployment now. */
  | { readonly begin: Owner }
  | { readonly publish: { readonly url: string; readonly settings: string } }
  | "release"
  | "end";

export type FromLink =
  /** It has tried to connect, and waits for `begin`. */
  | "prepared"
  /** The lease is renewed, or lost. */
  | "ready"
  /** This process no longer owns the deployment, or cannot know whether it does. */
  | { readonly lost: string }
  | "released"
  /** The last message. */
  | "ended";
