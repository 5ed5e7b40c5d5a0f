import type { Books } from "../books/books.ts";
import { compareJournal } from "../books/compare-journal.ts";
import { readChanges, readJournal } from "../books/read-journal.ts";
import type { Tally } from "../calls/tally.ts";

/** The clocks of two machines differ; orders of this run are told apart by their numbers anyway. */
const clockMarginMs = 600_000;
const mostTimelines = 500;

/** Compares with the adapter's own journal and timelines. Null where it has none to show. */
export async function compareInside(needs: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly books: Books;
  readonly tally: Tally;
  readonly since: Date;
}): Promise<number | null> {
  const { books, tally, since } = needs;
  const lines = await readJournal(needs, new Date(since.getTime() - clockMarginMs));
  if (lines === null) return null;
  const { compared, findings } = await compareJournal(books, lines);
  for (const finding of findings) tally.note(finding);

  const changed = [...books.orders.values()].filter(({ shownChanges }) => shownChanges > 0).slice(0, mostTimelines);
  for (const { number, calls, shownChanges } of changed) {
    const texts = (await readChanges(needs, number)) ?? [];
    const settled = texts.filter((text) => !text.startsWith("wanted:")).length;
    if (settled >= shownChanges) continue;
    tally.note({
      kind: "change",
      order: number,
      item: null,
      text: "the timeline does not say what became of a change",
      expected: `what became of ${shownChanges}`,
      found: texts.join("; ") || "no change",
      calls: [...calls],
    });
  }
  return compared;
}
