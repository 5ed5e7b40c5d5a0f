import type { Finding } from "../finding.ts";
import type { Books, OrderBook } from "./books.ts";
import { readPlaceKey } from "./books.ts";
import { bookLine, type JournalBook, type JournalLine } from "./journal-books.ts";

/** Holds the adapter's journal against the books: each event that was answered with success stands there, once. */
export async function compareJournal(
  books: Books,
  lines: AsyncIterable<JournalLine>,
  onLine: (line: JournalLine) => void = () => {},
): Promise<{ readonly compared: number; readonly findings: Finding[] }> {
  const journal = new Map<string, JournalBook>();
  let compared = 0;
  for await (const line of lines) {
    compared++;
    onLine(line);
    bookLine(journal, line, (order) => books.orders.has(order));
  }
  const findings = [...books.orders.values()].flatMap((book) => differences(book, journal.get(book.number)));
  return { compared, findings };
}

function differences(book: OrderBook, journal: JournalBook | undefined): Finding[] {
  const seqs = `; journal entries ${journal?.seqs.toSorted((a, b) => a - b).join(", ") || "none"}`;
  const finding = (item: string | null, text: string, expected: number, found: number): Finding => ({
    kind: "journal",
    order: book.number,
    item,
    text,
    expected: String(expected),
    found: `${found}${seqs}`,
    calls: [...book.calls],
  });
  const doubts = [...book.doubtful.values()].reduce((sum, { pieces }) => sum + pieces, 0);
  const topics = new Set([...book.told.keys(), ...(journal?.told.keys() ?? [])]);
  const counts = [...topics].flatMap((topic) => {
    const [told, found] = [book.told.get(topic) ?? 0, journal?.told.get(topic) ?? 0];
    const isDoubt = topic === "confirmPutWallPlacement" && found < told && found >= told - doubts;
    return told === found || isDoubt
      ? []
      : [finding(null, `${topic} stands in the journal another number of times`, told, found)];
  });
  const amounts = [...(journal?.placed ?? [])].flatMap(([key, amount]) => {
    const [item, location] = readPlaceKey(key);
    const placed = book.placed.get(key) ?? 0;
    const doubtful = book.doubtful.get(key)?.amount ?? 0;
    const isDoubt = amount < placed && amount >= placed - doubtful - 1e-6;
    return isDoubt || Math.abs(placed - amount) < 1e-6
      ? []
      : [finding(item, `the journal adds up to another amount at ${location}`, placed, amount)];
  });
  return [...counts, ...amounts];
}
