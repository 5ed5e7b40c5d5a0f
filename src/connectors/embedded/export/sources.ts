import type { ExportRow } from "../../../contract/schemas/asks.ts";

/** What a column can be read from, by the name its expression uses. */
export const sourceNames = ["externalData", "deliveryNote", "deliveryAddress", "order"] as const;
export type SourceName = (typeof sourceNames)[number];

/** What one row has to read from: text and value of each source that is there and readable. */
export type Material = { [Name in SourceName]?: { readonly text: string; readonly value: unknown } };

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
  return (row) => {
    const material: Material = {};
    for (const name of needs.used) {
      const text = texts[name](row);
      if (text === null || text === undefined || text === "") continue;
      const value = parsed(text);
      if (value !== undefined) material[name] = { text, value };
    }
    return material;
  };
}

/** External data is anybody's text: what is not JSON reads as nothing and never spoils the export. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
