import type { Books } from "../books/books.ts";
import { compareJournal } from "../books/compare-journal.ts";
import { readChanges, readJournal } from "../books/read-journal.ts";
import { untilWhole } from "../books/until-whole.ts";
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
  const { baseUrl, books, tally, since } = needs;
  const journal = await untilWhole(baseUrl, async () => {
    const lines = await readJournal(needs, new Date(since.getTime() - clockMarginMs));
    return lines === null ? null : await compareJournal(books, lines);
  });
  if (journal === null) return null;
  for (const finding of journal.findings) tally.note(finding);

  const changed = [...books.orders.values()].filter(({ shownChanges }) => shownChanges > 0).slice(0, mostTimelines);
  for (const { number, calls, shownChanges } of changed) {
    const texts = (await untilWhole(baseUrl, () => readChanges(needs, number))) ?? [];
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
  return journal.compared;
}
