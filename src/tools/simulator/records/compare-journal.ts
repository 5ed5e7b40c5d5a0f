import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "undici";
import type { Report } from "../../../contract/schemas/queries.ts";
import type { Finding } from "../calls/call-tally.ts";
import { AdapterSilent } from "../calls/open-caller.ts";
import {
  add,
  bookLine,
  type JournalLine,
  type JournalRecord,
  type OrderRecord,
  type PlatformRecords,
  placeKey,
  readPlaceKey,
} from "./platform-records.ts";

/**
 * Compares the adapter's journal with the floor's records: it must contain each successfully answered event exactly
 * once.
 */
export async function compareJournal(
  records: PlatformRecords,
  lines: AsyncIterable<JournalLine>,
  onLine: (line: JournalLine) => void = () => {},
): Promise<{ readonly compared: number; readonly findings: Finding[] }> {
  const journal = new Map<string, JournalRecord>();
  let compared = 0;
  for await (const line of lines) {
    compared++;
    onLine(line);
    bookLine(journal, line, (order) => records.orders.has(order));
  }
  const findings = [...records.orders.values()].flatMap((book) => differences(book, journal.get(book.number)));
  return { compared, findings };
}

function differences(book: OrderRecord, journal: JournalRecord | undefined): Finding[] {
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
  const topics = new Set([...book.events.keys(), ...(journal?.events.keys() ?? [])]);
  const counts = [...topics].flatMap((topic) => {
    const [sent, found] = [book.events.get(topic) ?? 0, journal?.events.get(topic) ?? 0];
    const isDoubt = topic === "confirmPutWallPlacement" && found < sent && found >= sent - doubts;
    return sent === found || isDoubt
      ? []
      : [finding(null, `the journal holds a different number of ${topic} events`, sent, found)];
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

interface AdminNeeds {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * Reads the journal since a moment, line by line. Returns null if the adapter has no journal, as other adapters than
 * ours.
 */
export async function readJournal(
  { baseUrl, apiKey }: AdminNeeds,
  from: Date,
): Promise<AsyncIterable<JournalLine> | null> {
  const query = new URLSearchParams({ from: from.toISOString(), direction: "out" });
  const { statusCode, body } = await request(`${baseUrl}/admin/journal/export?${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (statusCode !== 200) {
    await body.dump();
    return null;
  }
  return parsed(body);
}

/** Splits the lines itself, because Node's readline ends silently if the connection breaks. */
async function* parsed(body: Readable): AsyncGenerator<JournalLine> {
  let rest = "";
  for await (const chunk of body.setEncoding("utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    // Lines of the adapter's own export, whose form is documented.
    for (const line of lines) yield JSON.parse(line) as JournalLine;
  }
  // The last line of the export, which has no line break.
  if (rest !== "") yield JSON.parse(rest) as JournalLine;
}

/** Longer than an adapter takes to restart. */
const tries = 60;
const pauseMs = 500;

/** Starts again after a broken connection. An incomplete export would show differences that do not exist. */
export async function untilWhole<Result>(
  baseUrl: string,
  read: () => Promise<Result>,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!isBroken(error)) throw error;
      if (attempt === tries) throw new AdapterSilent(baseUrl, error.message);
      await wait(pauseMs);
    }
  }
}

/** A failure of the connection, not of the content. */
const isBroken = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^(UND_ERR_|E[A-Z]+$)/.test(String(error.code));

/** The expected report on these orders, by item and location. */
export function expectedReport(records: PlatformRecords, numbers: readonly string[]): Map<string, number> {
  const placed = new Map<string, number>();
  for (const number of numbers) {
    for (const [key, amount] of records.orders.get(number)?.placed ?? []) add(placed, key, amount);
  }
  return placed;
}

/** Sums of fractions may differ by a billionth; that is not a difference. */
const isSame = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;

/** Every item and location for which the report differs from the records. */
export function compareReport(
  expected: ReadonlyMap<string, number>,
  report: Pick<Report, "placements">,
  { records, numbers }: { readonly records: PlatformRecords; readonly numbers: readonly string[] },
): Finding[] {
  const found = new Map<string, number>();
  for (const { itemNumber, locationName, amount } of report.placements)
    add(found, placeKey(itemNumber, locationName), amount);
  const keys = new Set([...expected.keys(), ...found.keys()]);
  return [...keys].flatMap((key) => {
    const [wanted, reported] = [expected.get(key) ?? 0, found.get(key) ?? 0];
    if (isSame(wanted, reported)) return [];
    const [item, location] = readPlaceKey(key);
    const doubtful = numbers.reduce(
      (sum, number) => sum + (records.orders.get(number)?.doubtful.get(key)?.amount ?? 0),
      0,
    );
    const isDoubt = reported < wanted && reported >= wanted - doubtful - 1e-6;
    const [order = null] = numbers.length === 1 ? numbers : [];
    return [
      {
        kind: isDoubt ? ("doubt" as const) : ("report" as const),
        order,
        item,
        text: `${isDoubt ? "the connection broke between equal pieces: " : ""}the report${order === null ? ` on ${numbers.length} orders` : ""} has another amount at ${location || "no location"}`,
        expected: String(wanted),
        found: String(reported),
        calls: numbers.length > 5 ? [] : numbers.flatMap((number) => records.orders.get(number)?.calls ?? []),
      },
    ];
  });
}
