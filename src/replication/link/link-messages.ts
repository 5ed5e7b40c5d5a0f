import type { MessagePort } from "node:worker_threads";
import type { Change } from "../change.ts";
import type { Owner } from "../postgres/change-log.ts";

/** What the writer asks of the thread that talks to PostgreSQL. */
export type LinkCall = { readonly append: Change } | { readonly changesAfter: number };

export type LinkAnswer =
  /** PostgreSQL has it. */
  | { readonly stored: true }
  | { readonly changes: readonly Change[] }
  /** Not known to be stored; the reason is for people. */
  | { readonly refused: string };

/** Numbered, because the writer may have given up waiting for an earlier one. */
export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}

/** Given to the writer's thread. */
export interface ReplicaOptions {
  readonly port: MessagePort;
  /** One 32-bit number, 1 when an answer is there: the writer sleeps on it. */
  readonly isAnswered: SharedArrayBuffer;
  /** How long the writer waits for an answer, at most. */
  readonly patienceMs: number;
}

/** Given to the thread that talks to PostgreSQL. */
export interface LinkSettings {
  readonly url: string;
  readonly owner: Owner;
  readonly port: MessagePort;
  readonly isAnswered: SharedArrayBuffer;
  /** How long PostgreSQL is asked again before a commit is refused. */
  readonly patienceMs: number;
}

export type ToLink = { readonly publish: { readonly url: string; readonly settings: string } } | "release";

export type FromLink =
  | "ready"
  /** The deployment is not ours any more, or we cannot know that it is. */
  | { readonly lost: string }
  | "released";
