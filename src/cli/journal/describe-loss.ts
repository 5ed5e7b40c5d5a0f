import type { EntryRange, SalvageLoss } from "../../journal/sqlite/recovery/salvage-journal.ts";

/** More ranges than this are shortened. */
const mostNamed = 50;

/** Numbers of entries, with their count. */
export function rangesText(ranges: readonly EntryRange[]): string {
  const named = ranges.slice(0, mostNamed).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const count = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return `${named.join(", ")}${ranges.length > mostNamed ? ", …" : ""} (${count})`;
}

/** Says what a database that was built from the readable pages lacks, and what has to be done about it. */
export function describeLoss(loss: SalvageLoss | null): string[] {
  if (loss === null) return [];
  const { entries, contents, skipped, tables, leftOutPages } = loss;
  const lines: string[] = [];
  if (entries.length > 0) {
    lines.push(
      `Entries lost: ${rangesText(entries)}. What they have booked stays booked. Those that were not delivered yet have to be entered in the external system by hand`,
    );
  }
  if (contents.length > 0) lines.push(`Entries whose content is lost: ${rangesText(contents)}`);
  if (skipped.length > 0) {
    lines.push(
      `Entries that were still to be delivered and cannot be, because their content is lost; they are skipped: ${rangesText(skipped)}. Enter them in the external system by hand`,
    );
  }
  for (const { table, where, found } of tables) {
    const but = found === 0 ? "" : `, but ${found} of them were found in other pages`;
    lines.push(`Table ${table}: lost, if there were any: ${where.join("; ")}${but}`);
  }
  if (tables.length > 0) lines.push("Push the orders, items and stock levels of these tables again");
  if (leftOutPages > 0) {
    lines.push(`Pages with rows that may belong to several tables or to none, and were left out: ${leftOutPages}`);
  }
  return lines;
}
