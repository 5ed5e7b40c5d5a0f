import { filled, sameLine } from "../ledger/line-sight.ts";

export type ChangeState = "pending" | "removed" | "applied" | "partly" | "too-late" | "superseded";

/** Which lines of an order a change is about; nothing told means all of them. */
export interface ChangeTarget {
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
}

/** What the external system wants otherwise, and what became of it. */
export interface Change extends ChangeTarget {
  readonly id: number;
  readonly entryId: string;
  readonly orderNumber: string;
  /** The amount still wanted, all lines it is about together, in the order line's unit; 0 cancels. */
  readonly target: number;
  readonly reason: string | null;
  readonly state: ChangeState;
  readonly watched: number;
  readonly offered: number;
  readonly firstOfferedStep: number | null;
  readonly settledStep: number | null;
  readonly picked: number | null;
}

export const isWholeOrder = (target: ChangeTarget): boolean => target.externalId === null && target.itemNumber === null;

/** Whether a change is about this line. */
export const concerns = (change: ChangeTarget, line: ChangeTarget): boolean =>
  isWholeOrder(change) || sameLine(change, line);

/** Whether a newer change takes the place of an older one: it is about the same line, or about everything. */
export function replaces(newer: ChangeTarget, older: ChangeTarget): boolean {
  if (isWholeOrder(newer)) return true;
  if (isWholeOrder(older)) return false;
  // One that names the item only may cover more lines than one that names a line: both go on.
  return (newer.externalId === null) === (older.externalId === null) && sameLine(newer, older);
}

export const targetOf = (named: {
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
}): ChangeTarget => ({
  externalId: filled(named.requestExternalIdentifier),
  itemNumber: filled(named.itemNumber),
  lot: null,
});
