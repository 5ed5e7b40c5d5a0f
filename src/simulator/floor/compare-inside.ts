import type { Books } from "../books/books.ts";
import { compareJournal } from "../books/compare-journal.ts";
import { readJournal } from "../books/read-journal.ts";
import { untilWhole } from "../books/until-whole.ts";
import type { Tally } from "../calls/tally.ts";
import type { Family } from "../changes/family.ts";
import { openReceiptBook } from "../changes/receipt-book.ts";

/** The clocks of two machines differ; orders of this run are told apart by their numbers anyway. */
const clockMarginMs = 600_000;

/** Compares with the adapter's own journal, and the receipts in it with what came true. Null where it has none to show. */
export async function compareInside(needs: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly books: Books;
  readonly tally: Tally;
  readonly since: Date;
  readonly families: ReadonlyMap<string, Family>;
}): Promise<number | null> {
  const { baseUrl, books, tally, since, families } = needs;
  const journal = await untilWhole(baseUrl, async () => {
    const lines = await readJournal(needs, new Date(since.getTime() - clockMarginMs));
    if (lines === null) return null;
    const receipts = openReceiptBook(families);
    const { compared, findings } = await compareJournal(books, lines, receipts.read);
    return { compared, findings: [...findings, ...receipts.findings()] };
  });
  if (journal === null) return null;
  for (const finding of journal.findings) tally.note(finding);
  return journal.compared;
}
