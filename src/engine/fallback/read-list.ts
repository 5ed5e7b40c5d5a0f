import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseStored } from "../../kit/json/parse-in-turns.ts";
import { blob, integer, nullable, pick, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { ReadyJsonSlices } from "../../operation/outcome.ts";
import { bytesPerTurn, ordersPerTurn } from "../intake/order-texts.ts";
import { listedOrderRow, listRow } from "./fallback-tables.ts";
import type { CodeField, LastKnown, ListedOrder } from "./last-known.ts";
import { type ListParts, lengthOfParts } from "./list-parts.ts";

const maxSameCode = 50;
/** For each of them the journal is asked. */
const withheldPerTurn = 200;

type FoldedColumn = keyof typeof listedOrderRow.columns & `${string}_folded`;

const comma = Buffer.from(",");

/** The form in which codes are compared if letter case does not matter. */
export const fold = (text: string): string => text.trim().normalize("NFC").toLowerCase();

/** Reads the last list of one connector, a few orders per turn: one may have ten thousand lines. */
export function readList(
  database: Database,
  parts: Pick<ListParts, "read">,
  connector: string,
): Pick<LastKnown, "listAt" | "listed" | "listedBy" | "listedOrder"> {
  const at = database.query("SELECT at FROM list WHERE connector = ?", pick(listRow, "at"));
  // SQLite stores the length before the text: the text itself is not read.
  const page = database.query(
    // Without the index by connector: for each page it would sort all orders.
    `SELECT id, number, octet_length(json) AS bytes FROM listed_order NOT INDEXED
     WHERE connector = ? AND id > ? ORDER BY id LIMIT ?`,
    row({ ...pick(listedOrderRow, "id", "number").columns, bytes: integer }),
  );
  // Reading a text as a string takes four times as long.
  const content = database.query(
    `SELECT digest, ${lengthOfParts} AS length, CAST(json AS BLOB) AS bytes FROM listed_order WHERE id = ?`,
    row({ digest: text, length: nullable(integer), bytes: blob }),
  );
  const byNumber = database.query(
    "SELECT id FROM listed_order WHERE connector = ? AND number = ?",
    pick(listedOrderRow, "id"),
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

  /** The text of one order, or its parts. Undefined if a list that has come meanwhile has removed it. */
  const textOf = (id: number): Buffer | ReadyJsonSlices | undefined => {
    const found = content.get(id);
    if (found === undefined) return undefined;
    const { digest, length, bytes } = found;
    if (length !== null) return new ReadyJsonSlices(parts.read(digest, length));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };

  function* pages(isOffered: (number: string) => boolean): Generator<Uint8Array | ReadyJsonSlices> {
    let withheld = 0;
    for (let last = 0; ; ) {
      const rows = page.all(connector, last, ordersPerTurn);
      const short: Uint8Array[] = [];
      const long: ReadyJsonSlices[] = [];
      let length = 0;
      for (const { id, number, bytes } of rows) {
        if (long.length > 0 || (length > 0 && length + bytes > bytesPerTurn)) break;
        last = id;
        const text = isOffered(number) ? textOf(id) : undefined;
        if (text === undefined) withheld++;
        else if (text instanceof ReadyJsonSlices) long.push(text);
        else short.push(...(short.length === 0 ? [] : [comma]), text);
        length += bytes;
      }
      if (short.length > 0) yield Buffer.concat(short);
      yield* long;
      if (rows.length === 0) return;
      if (withheld < withheldPerTurn) continue;
      withheld = 0;
      // No element of the list: other requests run before the next orders are looked at.
      yield new ReadyJsonSlices(nothing());
    }
  }

  const wholeText = async (id: number): Promise<Buffer | undefined> => {
    const text = textOf(id);
    if (!(text instanceof ReadyJsonSlices)) return text;
    const bytes = await text.bytes();
    return bytes.length === 0 ? undefined : bytes;
  };

  async function* listedBy(field: CodeField, code: string): AsyncGenerator<ListedOrder> {
    let length = 0;
    for (const { id } of bySomeCode[field].all(fold(code), connector, maxSameCode)) {
      if (length > bytesPerTurn) {
        await nextTurn();
        length = 0;
      }
      const bytes = await wholeText(id);
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
      const found = byNumber.get(connector, number);
      const bytes = found === undefined ? undefined : await wholeText(found.id);
      return bytes === undefined ? null : await orderIn(bytes);
    },
  };
}

/** Written by rememberList from a checked order. */
const orderIn = async (bytes: Buffer): Promise<WorkOrder> => (await parseStored(bytes)) as WorkOrder;

async function* nothing(): AsyncGenerator<Uint8Array> {
  await nextTurn();
  yield* [];
}
