import type { FileNotes, FileProblem } from "../../../formats/import/file-reading.ts";
import type { Log } from "../../../kit/log.ts";
import { withProblems } from "../../../mapping/run.ts";
import { sourceRecordOf, withSource } from "../../../mapping/source-record.ts";
import type { MessageKey } from "../../../messages/catalogue.ts";
import type { Language } from "../../../messages/languages.ts";
import { type OperatorText, say } from "../../../messages/message.ts";
import { Fault } from "../../../operation/fault.ts";
import type { BadElement, Batch, BatchResult, Intake } from "../../../sdk/intake.ts";
import type { Incoming } from "../options.ts";
import {
  fetchFile,
  type ReadRecord,
  type RecordReader,
  type RecordsRead,
  type StreamRead,
} from "../read/record-reader.ts";
import { extendedName, type FileStore, type Place, shownName } from "../store/file-store.ts";
import type { Spool } from "../store/spool.ts";
import type { PutAway } from "./put-away.ts";
import { type Reasons, reasonText } from "./reason-text.ts";

export interface TakeNeeds {
  readonly store: FileStore;
  readonly spool: Spool;
  readonly reader: RecordReader;
  readonly incoming: Incoming;
  readonly away: PutAway;
  readonly maxBytes: number;
  readonly language: Language;
  readonly log: Log;
  /** When the file was claimed, or earlier, but after everything that was imported before it; undefined if unknown. */
  readonly claimedAt?: number | undefined;
}

const maxLines = 100;
/** Limit of problems kept for streamed records; the intake reports as many. */
const mostUnmapped = 10_000;

/**
 * Imports one claimed file and moves it to the done or error folder. False if the adapter cannot store at the moment.
 * After a crash the file stays claimed; importing it again changes nothing, because its content is recognised.
 */
export async function takeFile(claimed: Place, intake: Intake, needs: TakeNeeds): Promise<boolean> {
  const found = await fetchFile(claimed, needs);
  if (found === null) return true;
  if ("tooLarge" in found) {
    await refuse(claimed, whole(found.tooLarge), needs);
    return true;
  }
  if (Buffer.isBuffer(found)) return takeRead(claimed, await readSafely(claimed.name, found, needs), intake, needs);
  try {
    const reading = await safely(claimed.name, () => needs.reader.stream(found), needs);
    if ("refusal" in reading) return await takeRead(claimed, reading, intake, needs);
    try {
      return await takeStream(claimed, reading, intake, needs);
    } finally {
      await reading.close();
    }
  } finally {
    await found.remove();
  }
}

async function takeRead(claimed: Place, reading: RecordsRead, intake: Intake, needs: TakeNeeds): Promise<boolean> {
  const { incoming } = needs;
  if ("refusal" in reading) {
    const lines = reading.refusal.map((one) => (typeof one === "string" ? one : one.text));
    await refuse(claimed, { lines, count: reading.count, accepted: 0, columns: reading.columns }, needs);
    return true;
  }
  const unmapped = reading.records.filter(({ problems }) => problems.length > 0);
  const isStrict = incoming.badRecords !== "quarantine";
  if (isStrict && unmapped.length > 0) {
    const found = linesOf({ ...reading, unmapped, bad: [], placeOf: ({ index }) => ({ row: index + 1 }) }, needs);
    await refuse(claimed, { ...found, accepted: 0, columns: reading.columns }, needs);
    return true;
  }
  const sent = reading.records;
  const taken = await intake({
    topic: incoming.topic,
    // Mapping problems are passed on: the intake quarantines that record, where a person finds it.
    elements: sent.map(elementOf),
    origin: shownName(claimed.name),
    badRecords: isStrict ? "refuse" : "quarantine",
    sourceOf: needs.reader.sourceOf,
    ...onlyOnce(needs),
  });
  const placeOf = ({ index }: BadElement) => {
    const { row = index + 1, problems = [] } = sent[index] ?? {};
    return { row, isUnmapped: problems.length > 0 };
  };
  return settle(claimed, { ...reading, unmapped, placeOf, sentCount: sent.length }, taken, needs);
}

/** Like takeRead, for a streamed file: records are checked as they pass, and only the problems are kept. */
async function takeStream(
  claimed: Place,
  reading: Extract<StreamRead, { portions: unknown }>,
  intake: Intake,
  needs: TakeNeeds,
): Promise<boolean> {
  const { incoming } = needs;
  const unmapped: ReadRecord[] = [];
  const unmappedRows = new Set<number>();
  let sentCount = 0;
  let isFirstTime = true;
  async function* portions() {
    const isCounted = isFirstTime;
    isFirstTime = false;
    for await (const portion of reading.portions()) {
      if (isCounted) {
        sentCount += portion.length;
        for (const record of portion) {
          if (record.problems.length === 0 || unmappedRows.size >= mostUnmapped) continue;
          unmappedRows.add(record.row);
          unmapped.push({ row: record.row, problems: record.problems, element: undefined });
        }
      }
      yield portion.map((record) => ({ row: record.row, element: elementOf(record) }));
    }
  }
  const taken = await intake({
    ...{ topic: incoming.topic, elements: [], portions, origin: shownName(claimed.name) },
    badRecords: incoming.badRecords ?? "refuse",
    sourceOf: needs.reader.sourceOf,
    ...onlyOnce(needs),
  });
  const placeOf = ({ index, row = index + 1 }: BadElement) => ({ row, isUnmapped: unmappedRows.has(row) });
  return settle(claimed, { ...reading, unmapped, placeOf, sentCount }, taken, needs);
}

const onlyOnce = ({ claimedAt }: TakeNeeds): Pick<Batch, "rereads" | "claimedAt"> => ({ rereads: "never", claimedAt });

function elementOf({ element, problems }: ReadRecord): unknown {
  if (problems.length === 0) return element;
  const spoiled = withProblems({ value: element, problems: [...problems] });
  const source = sourceRecordOf(element);
  return source === undefined ? spoiled : withSource(spoiled, source);
}

interface Sent extends Omit<Wrong, "bad"> {
  readonly sentCount: number;
  readonly notes: FileNotes;
  readonly columns?: Reasons["columns"];
}

/** Moves the file to the done or error folder, depending on the result. */
async function settle(claimed: Place, sent: Sent, taken: BatchResult, needs: TakeNeeds): Promise<boolean> {
  const { away, log, incoming } = needs;
  const file = shownName(claimed.name);
  if ("notStored" in taken) {
    log.warn({ file }, "file import postponed: the adapter cannot store data at the moment");
    return false;
  }
  const { lines, count } = linesOf({ ...sent, bad: taken.bad }, needs);
  const isStrict = incoming.badRecords !== "quarantine";
  const good = isStrict && taken.bad.length > 0 ? 0 : sent.sentCount - taken.bad.length;
  const { columns } = sent;
  if (count > 0 && good === 0) {
    await refuse(claimed, { lines, count, accepted: 0, columns }, needs);
    return true;
  }
  const name = away.nameOf(claimed.name);
  if (count > 0) await giveReasons(name, { lines, count, accepted: good, columns }, needs, claimed.name);
  await away.move(claimed, "done", name);
  const { leftOut, unusedColumns, dateByConvention, skippedTime, splitNumber, floatNumber } = sent.notes;
  const notes = {
    ...(leftOut > 0 ? { leftOut } : {}),
    ...(unusedColumns.length > 0 ? { unusedColumns } : {}),
    ...(dateByConvention === null ? {} : { dayFirst: `${dateByConvention.text} = ${dateByConvention.value}` }),
    ...(skippedTime === undefined ? {} : { skippedTime }),
    ...(splitNumber === undefined ? {} : { splitNumber }),
    ...(floatNumber === undefined ? {} : { floatNumber }),
  };
  const { count: stored = taken.ids.length, unchanged } = taken;
  log.info({ file, taken: stored, unchanged, errors: count, ...notes }, "file imported");
  return true;
}

const whole = (line: string): Reasons => ({ lines: [line], count: 1, accepted: 0 });

const readSafely = (name: string, bytes: Buffer, needs: TakeNeeds) =>
  safely(name, () => needs.reader.read(name, bytes), needs);

async function safely<Reading>(name: string, read: () => Promise<Reading>, { log }: TakeNeeds) {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Fault) throw error;
    // A file that triggers a bug of our own must not block all later files.
    log.error({ err: error, file: shownName(name) }, "file could not be read");
    return { refusal: ["the file could not be read; the log of the adapter says more"], count: 1 };
  }
}

interface Wrong {
  readonly withheld: readonly FileProblem[];
  readonly withheldCount: number;
  readonly unmapped: readonly ReadRecord[];
  readonly bad: readonly BadElement[];
  /** Where a bad element was, and whether the mapping has already reported it. */
  readonly placeOf: (bad: BadElement) => { readonly row: number; readonly isUnmapped?: boolean };
}

function linesOf({ withheld, withheldCount, unmapped, bad, placeOf }: Wrong, { reader }: TakeNeeds) {
  const lines: OperatorText[] = withheld.slice(0, maxLines).map(({ text }) => text);
  let count = withheldCount;
  const add = (line: OperatorText) => {
    count++;
    if (lines.length < maxLines) lines.push(line);
  };
  for (const { row, problems } of unmapped) {
    for (const { field, text, source, message } of problems) {
      add(message ?? `Row ${row}, ${field}${source === undefined ? "" : ` (from ${source})`}: ${text}`);
    }
  }
  for (const one of bad) {
    const { row, isUnmapped = false } = placeOf(one);
    // The mapping's own message is already there.
    if (isUnmapped) continue;
    for (const { field, expected, detail = "", found = "" } of one.problems) {
      const column = reader.sourceOf(field) ?? field;
      // Every expectation has a text of that name; a test compares both lists.
      add(say(`files.cell.${expected}` as MessageKey, { row, column, value: "", literal: found, detail }));
    }
  }
  return { lines, count };
}

async function refuse(claimed: Place, reasons: Reasons, needs: TakeNeeds): Promise<void> {
  const name = needs.away.nameOf(claimed.name);
  const isGiven = await giveReasons(name, reasons, needs, claimed.name);
  await needs.away.move(claimed, "error", name);
  if (!isGiven) return;
  needs.log.warn(
    { file: shownName(claimed.name), errors: reasons.count },
    "file refused; the reasons are in the file beside it",
  );
}

/**
 * Writes the reasons beside the file. If there is no space for them, they are logged: a file that stayed claimed
 * because of its reasons would hold up all files behind it. False if they are only in the log.
 */
async function giveReasons(name: string, reasons: Reasons, needs: TakeNeeds, shown: string): Promise<boolean> {
  const place = { folder: needs.away.errorFolder, name: extendedName("", name, ".reason.txt") };
  const text = reasonText(shown, reasons, needs.language);
  const write = () => needs.store.write(place, Buffer.from(text));
  try {
    // A connection that was cut is opened again by the second try.
    await write().catch(write);
    return true;
  } catch (error) {
    const fields = { file: shownName(shown), reason: error instanceof Error ? error.message : String(error) };
    needs.log.error(
      { ...fields, errors: text.split("\r\n", maxLines) },
      "file refused; the reasons could not be written beside it",
    );
    return false;
  }
}
