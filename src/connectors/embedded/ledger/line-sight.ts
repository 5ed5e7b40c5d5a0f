import type { RequestLine } from "../../../contract/schemas/work-order.ts";

/** What a step, a cancellation or an update model tells about which line it means. */
export interface LineSight {
  readonly requestId: number | null;
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
  readonly unit: number | null;
  /** Requested amount in base units. */
  readonly requested: number | null;
}

/** Blank means not told: an empty external id must not make two lines the same. */
export const filled = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text;

interface Named {
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
}

export const namesOf = (line: RequestLine): Named => ({
  externalId: filled(line.requestExternalIdentifier),
  itemNumber: line.itemNumber,
  lot: filled(line.lotNumber),
});

/** The external id decides where both have one; else item and lot, a lot that is not told fitting any. */
export function sameLine(one: Named, other: Named): boolean {
  if (one.externalId !== null && other.externalId !== null) return one.externalId === other.externalId;
  if (one.itemNumber === null || one.itemNumber !== other.itemNumber) return false;
  return one.lot === null || other.lot === null || one.lot === other.lot;
}
