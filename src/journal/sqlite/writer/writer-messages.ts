import type { MessagePort } from "node:worker_threads";
import type { BulkJob, BulkNews } from "../bulk/bulk-turns.ts";
import type { Refusal } from "./writer.ts";
import type { PackedCommand, PackedResult } from "./writer-command.ts";

export interface WriterSettings {
  readonly databaseFile: string;
  readonly projectionModule: string | null;
  readonly projectionOptions: unknown;
  readonly emissionTarget: string | null;
  /** Where every commit is stored first; null: commits are stored only here. */
  readonly replica: { readonly module: string; readonly options: unknown } | null;
  /**
   * How much of a large database is compared with its sums before the start; the rest is compared in the background.
   */
  readonly checkedBytes: number;
}

/** Settings that may change at run time. */
export type ChangedSettings = Pick<WriterSettings, "projectionOptions" | "emissionTarget">;

/** Sent to a thread for writers. */
export interface ToWriterThread {
  /** The thread writes this journal, too. */
  readonly begin: WriterSettings;
  readonly port: MessagePort;
}

/** Sent once by the thread: its modules are loaded. */
export interface FromWriterThread {
  readonly loaded: true;
}

/** What the journal sends to its writer. */
export type ToWriter =
  | { readonly commands: readonly PackedCommand[] }
  | { readonly changed: ChangedSettings }
  | { readonly bulk: BulkJob }
  | "close";

/** What the writer answers. */
export type FromWriter =
  /** Sent when the writer is ready, with what was noticed about the files and repaired. */
  | { readonly ready: readonly string[]; readonly left: StagingsLeft }
  | { readonly bulk: BulkNews }
  /** The writer could not be opened, or has ended by itself. */
  | {
      readonly failed: string;
      readonly damages?: readonly string[];
      /** The codes of the error, which a copy in another thread would not have: `code` of the system, `errcode` of SQLite. */
      readonly codes?: { readonly code?: string; readonly errcode?: number };
    }
  | { readonly results: readonly PackedResult[]; readonly tookMs: number; readonly refusal: Refusal | null }
  /** The result of the background check. */
  | { readonly damaged: string }
  /** The result of a test write. */
  | { readonly probed: Refusal | null }
  /** The last message: the files are closed. */
  | { readonly closed: true };

/** The next free number of a call in chunks, and the calls that an earlier process did not finish. */
export interface StagingsLeft {
  readonly nextCall: number;
  readonly unfinished: readonly number[];
}
