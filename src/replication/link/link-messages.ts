import type { MessagePort } from "node:worker_threads";
import type { Change } from "../change.ts";
import type { Owner } from "../postgres/change-log.ts";

/** What the writer requests from the thread that talks to PostgreSQL. */
export type LinkCall = { readonly append: Change } | { readonly changesAfter: number };

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

/** Passed to the writer's thread. */
export interface ReplicaOptions {
  readonly port: MessagePort;
  /** One 32-bit number that becomes 1 when an answer has arrived; the writer sleeps until then. */
  readonly isAnswered: SharedArrayBuffer;
  /** How long the writer waits for an answer, at most. */
  readonly patienceMs: number;
}

/** Passed to the thread that talks to PostgreSQL. */
export interface LinkSettings {
  readonly url: string;
  readonly deployment: string;
  readonly port: MessagePort;
  readonly isAnswered: SharedArrayBuffer;
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
  /** The thread runs and has tried to connect; it waits for `begin`. */
  | "prepared"
  /** The lease is renewed, or lost. */
  | "ready"
  /** This process no longer owns the deployment, or cannot know whether it does. */
  | { readonly lost: string }
  | "released";
