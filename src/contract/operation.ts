import type { TObject, TSchema } from "typebox";

/** One row of the contract table. Everything the adapter knows about an endpoint stands here and nowhere else. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Documented spelling; at most one `{parameter}`, always the last segment. */
  readonly path: string;
  /** An ask is answered and forgotten; a tell is written down before it is answered. */
  readonly kind: "ask" | "tell";
  readonly group: "Work orders" | "Processing" | "Items" | "Health";
  readonly summary: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Absent on events, which return the envelope only. */
  readonly data?: TSchema;
  /** Result names in numeric order: the position is the number. Absent only where there is no envelope. */
  readonly results: readonly string[];
  readonly success: string;
  /** A body that can reach many megabytes: read and answered off the main thread. */
  readonly bulk?: true;
  /** From which size on; absent: where reading it would hold up others. Smaller where the answer takes longer than that. */
  readonly bulkAboveBytes?: number;
  /** Which time budget applies. */
  readonly budget: "event" | "step" | "scan" | "list" | "none";
  /** A rule that schema and results do not say, in words for the reference page. */
  readonly note?: string;
  /** What the contract leaves open and we settled ourselves, in words for the reference page. */
  readonly assumption?: string;
}
