import type { ExportRow } from "../../../contract/schemas/asks.ts";
import { parseExactJson } from "../../../kit/exact-number.ts";

/** What a column can be read from, by the name its expression uses. */
export const sourceNames = ["externalData", "deliveryNote", "deliveryAddress", "order"] as const;
export type SourceName = (typeof sourceNames)[number];

export interface Source {
  readonly text: string;
  readonly value: unknown;
}

/** What one row has to read from: each source that is there and readable. */
export type Material = { readonly [Name in SourceName]: Source | undefined };

/** Prepares the sources that are used and no others: parsing them is most of the work of an export. */
export function openSources(needs: {
  readonly used: readonly SourceName[];
  readonly orderText: (number: string) => string | undefined;
}): (row: ExportRow) => Material {
  const texts: Record<SourceName, (row: ExportRow) => string | null | undefined> = {
    externalData: (row) => row.externalData,
    deliveryNote: (row) => row.deliveryNoteExternalData,
    deliveryAddress: (row) => row.deliveryAddressExternalData,
    order: (row) => needs.orderText(row.workOrderNumber),
  };
  const reader = (name: SourceName) => (needs.used.includes(name) ? read(texts[name]) : nothing);
  const [externalData, deliveryNote] = [reader("externalData"), reader("deliveryNote")];
  const [deliveryAddress, order] = [reader("deliveryAddress"), reader("order")];
  // Written out and not looped over: an object that gets its members one by one takes longer than what it holds.
  return (row) => ({
    externalData: externalData(row),
    deliveryNote: deliveryNote(row),
    deliveryAddress: deliveryAddress(row),
    order: order(row),
  });
}

const nothing = () => undefined;

const read =
  (textOf: (row: ExportRow) => string | null | undefined) =>
  (row: ExportRow): Source | undefined => {
    const text = textOf(row);
    if (text === null || text === undefined || text === "") return undefined;
    const value = parsed(text);
    return value === undefined ? undefined : { text, value };
  };

/** External data is anybody's text: what is not JSON reads as nothing and never spoils the export. */
function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
