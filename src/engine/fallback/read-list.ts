import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseStored } from "../../kit/json/parse-in-turns.ts";
import { blob, integer, pick, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { bytesPerTurn, ordersPerTurn } from "../intake/order-texts.ts";
import { listedOrderRow, listRow } from "./fallback-tables.ts";
import type { CodeField, LastKnown, ListedOrder } from "./last-known.ts";

const maxSameCode = 50;

type FoldedColumn = keyof typeof listedOrderRow.columns & `${string}_folded`;

const contentRow = row({ bytes: blob });
const comma = Buffer.from(",");

/** The form in which codes are compared if letter case does not matter. */
export const fold = (text: string): string => text.trim().normalize("NFC").toLowerCase();

/** Reads the last list of one connector, a few orders per turn: one may have ten thousand lines. */
export function readList(
  database: Database,
  connector: string,
): Pick<LastKnown, "listAt" | "listed" | "listedBy" | "listedOrder"> {
  const at = database.query("SELECT at FROM list WHERE connector = ?", pick(listRow, "at"));
  // SQLite stores the length before the text: the text itself is not read.
  const page = database.query(
    `SELECT id, number, octet_length(json) AS bytes FROM listed_order
     WHERE connector = ? AND id > ? ORDER BY id LIMIT ?`,
    row({ ...pick(listedOrderRow, "id", "number").columns, bytes: integer }),
  );
  // Reading a text as a string takes four times as long.
  const content = database.query("SELECT CAST(json AS BLOB) AS bytes FROM listed_order WHERE id = ?", contentRow);
  const contentOf = (id: number): Buffer | undefined => asBuffer(content.get(id)?.bytes);
  const byNumber = database.query(
    "SELECT CAST(json AS BLOB) AS bytes FROM listed_order WHERE connector = ? AND number = ?",
    contentRow,
  );
  const by = (column: FoldedColumn) =>
    database.query(
      `SELECT id FROM listed_order WHERE ${column} = ? AND connector = ? ORDER BY id LIMIT ?`,
      pick(listedOrderRow, "id"),
    );
  const bySomeCode: Record<CodeField, ReturnType<typeof by>> = {
    number: by("number_folded"),
    alternativeStartNumber: by("alternative_folded"),
    externalIdentifier: by("external_folded"),
    deliveryNumber: by("delivery_folded"),
  };

  function* pages(isOffered: (number: string) => boolean): Generator<Uint8Array> {
    for (let last = 0; ; ) {
      const rows = page.all(connector, last, ordersPerTurn);
      const parts: Uint8Array[] = [];
      let length = 0;
      for (const { id, number, bytes } of rows) {
        if (length > 0 && length + bytes > bytesPerTurn) break;
        last = id;
        const text = isOffered(number) ? contentOf(id) : undefined;
        if (text === undefined) continue;
        parts.push(...(parts.length === 0 ? [] : [comma]), text);
        length += bytes;
      }
      if (parts.length > 0) yield parts.length === 1 ? (parts[0] ?? comma) : Buffer.concat(parts);
      if (rows.length === 0) return;
    }
  }

  async function* listedBy(field: CodeField, code: string): AsyncGenerator<ListedOrder> {
    let length = 0;
    for (const { id } of bySomeCode[field].all(fold(code), connector, maxSameCode)) {
      if (length > bytesPerTurn) {
        await nextTurn();
        length = 0;
      }
      const bytes = contentOf(id);
      // A list that has come meanwhile may have removed it.
      if (bytes === undefined) continue;
      length += bytes.length;
      yield { bytes, workOrder: await orderIn(bytes) };
    }
  }

  return {
    listAt: () => at.get(connector)?.at ?? null,
    listed: (isOffered) => ({ [Symbol.iterator]: () => pages(isOffered) }),
    listedBy,
    listedOrder: async (number) => {
      const bytes = asBuffer(byNumber.get(connector, number)?.bytes);
      return bytes === undefined ? null : await orderIn(bytes);
    },
  };
}

/** Written by rememberList from a checked order. */
const orderIn = async (bytes: Buffer): Promise<WorkOrder> => (await parseStored(bytes)) as WorkOrder;

const asBuffer = (bytes: Uint8Array | undefined): Buffer | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
