import { integer, pick, row } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { ServedLine } from "../../ledger/line-ref.ts";
import { servedContentRow } from "../../store-rows.ts";
import { hasSameLines, reuseLines, type ServedContent } from "./served-content.ts";

export interface ServedTable {
  /** Earlier contents of an order, oldest first. */
  readonly of: (orderNumber: string) => readonly ServedContent[];
  /**
   * Adds a content that is about to be replaced to those that `of` returns, unless it equals the latest one. Returns all
   * contents of the order.
   */
  readonly add: (
    orderNumber: string,
    served: readonly ServedContent[],
    content: ServedContent,
  ) => readonly ServedContent[];
}

/** An order changed more often than this keeps its first content and the latest ones. */
const maxServed = 64;
/** So many are left out at once: what is known of all contents is found out anew then. */
const leftOutAtOnce = 16;

const linesRow = pick(servedContentRow, "lines");
const numberRow = pick(servedContentRow, "number");
const nextRow = row({ next: integer });

/**
 * Each content is a row of its own and holds what is not in the content before. One row with all contents would be
 * written whole with every change: sixty megabytes for an order of ten thousand lines.
 */
export function openServedTable(database: Database): ServedTable {
  const select = database.query("SELECT lines FROM served_content WHERE order_number = ? ORDER BY number", linesRow);
  const insert = database.statement("INSERT INTO served_content (order_number, number, lines) VALUES (?, ?, ?)");
  const next = database.query(
    "SELECT coalesce(max(number) + 1, 0) AS next FROM served_content WHERE order_number = ?",
    nextRow,
  );
  const oldest = database.query(
    `SELECT number FROM served_content WHERE order_number = ? ORDER BY number LIMIT ${leftOutAtOnce + 2}`,
    numberRow,
  );
  const remove = database.statement("DELETE FROM served_content WHERE order_number = ? AND number > ? AND number < ?");
  const rewrite = database.statement("UPDATE served_content SET lines = ? WHERE order_number = ? AND number = ?");

  /** Leaves out the contents after the first one. The next one is then stored by what is not in the first. */
  const withoutOld = (orderNumber: string, served: readonly ServedContent[]): readonly ServedContent[] => {
    const numbers = oldest.all(orderNumber).map(({ number }) => number);
    const [first = [], kept = [], ...others] = [served[0], ...served.slice(1 + leftOutAtOnce)];
    const [firstNumber, keptNumber] = [numbers[0], numbers[1 + leftOutAtOnce]];
    if (firstNumber === undefined || keptNumber === undefined)
      throw new Error(`contents of order ${orderNumber} are missing`);
    remove.run(orderNumber, firstNumber, keptNumber);
    rewrite.run(packContent(kept, first), orderNumber, keptNumber);
    return [first, kept, ...others].map((content) => content ?? []);
  };

  return {
    of: (orderNumber) => {
      const contents: ServedContent[] = [];
      for (const { lines } of select.all(orderNumber)) contents.push(unpackContent(lines, contents.at(-1) ?? []));
      return contents;
    },
    add: (orderNumber, served, content) => {
      const before = served.at(-1);
      const added = reuseLines(content, before);
      if (before !== undefined && hasSameLines(added, before)) return served;
      insert.run(orderNumber, next.get(orderNumber)?.next ?? 0, packContent(added, before ?? []));
      const all = [...served, added];
      return all.length > maxServed ? withoutOld(orderNumber, all) : all;
    },
  };
}

/** A line, or so many lines of the content before from that place on. */
type PackedLine = ServedLine | readonly [place: number, lines: number];

/** Writes a content as text: lines of the content before by their places, all others in full. */
export function packContent(content: ServedContent, before: ServedContent): string {
  let places: ReadonlyMap<ServedLine, number> | undefined;
  const placeOf = (line: ServedLine, index: number, next: number): number | undefined => {
    if (before[next] === line) return next;
    // If the lines go on after it as before, it is a changed one: nothing has to be looked up.
    if (before[next + 1] === content[index + 1]) return undefined;
    places ??= new Map(before.map((own, place) => [own, place]));
    return places.get(line);
  };
  const packed: (ServedLine | [place: number, lines: number])[] = [];
  let run: [place: number, lines: number] | undefined;
  /** The place that the next line has in the content before, unless lines were put in, left out or moved. */
  let next = 0;
  for (const [index, line] of content.entries()) {
    const place = placeOf(line, index, next);
    next = (place ?? next) + 1;
    if (place !== undefined && run !== undefined && run[0] + run[1] === place) {
      run[1]++;
      continue;
    }
    run = place === undefined ? undefined : [place, 1];
    packed.push(run ?? line);
  }
  return JSON.stringify(packed);
}

export function unpackContent(text: string, before: ServedContent): ServedContent {
  // `packContent` wrote it, or an earlier version that listed every line.
  const packed = JSON.parse(text) as PackedLine[];
  return packed.flatMap((one) => (isRun(one) ? before.slice(one[0], one[0] + one[1]) : [one]));
}

const isRun = (packed: PackedLine): packed is readonly [number, number] => Array.isArray(packed);
