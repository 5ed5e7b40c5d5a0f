import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseStored } from "../../kit/json/parse-in-turns.ts";
import { blob, integer, nullable, pick, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { ReadyJsonSlices } from "../../operation/outcome.ts";
import { bytesPerTurn, ordersPerTurn } from "../intake/order-texts.ts";
import { listedOrderRow, listRow } from "./fallback-tables.ts";
import type { CodeField, LastKnown, ListedOrder } from "./last-known.ts";
import { type ListParts, lengthOfParts, ReplacedMeanwhile } from "./list-parts.ts";

const maxSameCode = 50;
/** A list comes every minute, so the second attempt nearly always succeeds. */
const mostAttempts = 3;
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
    `SELECT id, number, octet_length(json) AS bytes, ${lengthOfParts} AS length
     FROM listed_order INDEXED BY listed_by_connector WHERE connector = ? AND id > ? ORDER BY id LIMIT ?`,
    row({ ...pick(listedOrderRow, "id", "number").columns, bytes: integer, length: nullable(integer) }),
  );
  // By its number: a row that is removed meanwhile may leave its id to another order.
  const content = database.query(
    // Reading a text as a string takes four times as long.
    `SELECT digest, ${lengthOfParts} AS length, CAST(json AS BLOB) AS bytes FROM listed_order
     WHERE connector = ? AND number = ?`,
    row({ digest: text, length: nullable(integer), bytes: blob }),
  );
  const by = (column: FoldedColumn) =>
    database.query(
      // The sign keeps SQLite from reading all orders of the connector by its index.
      `SELECT number FROM listed_order WHERE ${column} = ? AND +connector = ? ORDER BY id LIMIT ?`,
      pick(listedOrderRow, "number"),
    );
  const bySomeCode: Record<CodeField, ReturnType<typeof by>> = {
    number: by("number_folded"),
    alternativeStartNumber: by("alternative_folded"),
    externalIdentifier: by("external_folded"),
    deliveryNumber: by("delivery_folded"),
  };

  /** The text of one order, in parts if it is long. None if a list that has come meanwhile has removed it. */
  async function* slicesOf(number: string): AsyncGenerator<Uint8Array> {
    const found = content.get(connector, number);
    if (found === undefined) return;
    const { digest, length, bytes } = found;
    if (length === null) yield bytes;
    else yield* parts.read(digest, length);
  }

  function* pages(isOffered: (number: string) => boolean): Generator<Uint8Array | ReadyJsonSlices> {
    let withheld = 0;
    for (let last = 0; ; ) {
      const rows = page.all(connector, last, ordersPerTurn);
      const short: Uint8Array[] = [];
      const long: ReadyJsonSlices[] = [];
      let length = 0;
      for (const { id, number, bytes, length: inParts } of rows) {
        if (long.length > 0 || (length > 0 && length + bytes > bytesPerTurn)) break;
        last = id;
        length += bytes;
        if (!isOffered(number)) withheld++;
        // Its row is read when its turn has come: the list may have been replaced by then.
        else if (inParts !== null) long.push(new ReadyJsonSlices(slicesOf(number)));
        else {
          const text = content.get(connector, number)?.bytes;
          if (text !== undefined) short.push(...(short.length === 0 ? [] : [comma]), text);
        }
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

  const wholeText = async (number: string): Promise<Buffer | undefined> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const bytes = await new ReadyJsonSlices(slicesOf(number)).bytes();
        return bytes.length === 0 ? undefined : bytes;
      } catch (error) {
        // Read again as it is now: an event must not fail because a list has come while its order was read.
        if (!(error instanceof ReplacedMeanwhile) || attempt === mostAttempts) throw error;
      }
    }
  };

  async function* listedBy(field: CodeField, code: string): AsyncGenerator<ListedOrder> {
    const wanted = fold(code);
    let length = 0;
    for (const { number } of bySomeCode[field].all(wanted, connector, maxSameCode)) {
      if (length > bytesPerTurn) {
        await nextTurn();
        length = 0;
      }
      const bytes = await wholeText(number);
      if (bytes === undefined) continue;
      length += bytes.length;
      const workOrder = await orderIn(bytes);
      // It may have been replaced since the numbers were read.
      if (fold(workOrder[field] ?? "") === wanted) yield { bytes, workOrder };
    }
  }

  return {
    listAt: () => at.get(connector)?.at ?? null,
    listed: (isOffered) => ({ [Symbol.iterator]: () => pages(isOffered) }),
    listedBy,
    listedOrder: async (number) => {
      const bytes = await wholeText(number);
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
