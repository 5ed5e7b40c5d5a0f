import type { Clock } from "../../../kit/clock.ts";
import type { Log } from "../../../kit/log.ts";
import type { MessageKey } from "../../../messages/catalogue.ts";
import type { Language } from "../../../messages/languages.ts";
import { type OperatorText, say } from "../../../messages/message.ts";
import { Fault } from "../../../sdk/fault.ts";
import type { BadElement, Intake } from "../../../sdk/intake.ts";
import { withProblems } from "../../../sdk/mapping/with-problems.ts";
import type { FileProblem } from "../../../sdk/records/file-reading.ts";
import type { Incoming } from "../options.ts";
import type { ReadRecord, RecordReader } from "../read/record-reader.ts";
import { extendedName, shownName } from "../store/file-name.ts";
import type { FileStore, Place } from "../store/file-store.ts";
import { type Reasons, reasonText } from "./reason-text.ts";

export interface TakeNeeds {
  readonly store: FileStore;
  readonly reader: RecordReader;
  readonly incoming: Incoming;
  readonly doneFolder: string;
  readonly errorFolder: string;
  readonly maxBytes: number;
  readonly language: Language;
  readonly clock: Clock;
  readonly log: Log;
  /** Distinguishes this adapter's moves from those of others in the same millisecond. */
  readonly instance: string;
}

const maxLines = 100;

/**
 * One claimed file, from its bytes to the done or the error folder. False where it has to wait because the adapter
 * cannot store just now. A crash anywhere leaves the file claimed; taken again, its content is known and changes nothing.
 */
export async function takeFile(claimed: Place, intake: Intake, needs: TakeNeeds): Promise<boolean> {
  const { store, log, incoming, maxBytes } = needs;
  const file = shownName(claimed.name);
  const bytes = await store.read(claimed, maxBytes);
  if (bytes === null) return true;
  if (bytes === "too-large") {
    const limit = `${Math.floor(maxBytes / 2 ** 20)} MiB`;
    await refuse(claimed, whole(`the file is larger than ${limit}; split it, or raise \`maxMiB\``), needs);
    return true;
  }
  const reading = await readSafely(claimed.name, bytes, needs);
  if ("refusal" in reading) {
    const lines = reading.refusal.map((one) => (typeof one === "string" ? one : one.text));
    await refuse(claimed, { lines, count: reading.count, taken: 0 }, needs);
    return true;
  }
  const unmapped = reading.records.filter(({ problems }) => problems.length > 0);
  const isStrict = incoming.onBad !== "quarantine";
  if (isStrict && unmapped.length > 0) {
    await refuse(claimed, { ...linesOf({ ...reading, unmapped, bad: [], sent: [] }, needs), taken: 0 }, needs);
    return true;
  }
  const sent = reading.records;
  const taken = await intake({
    topic: incoming.topic,
    // What the mapping could not do goes along: the intake keeps that record back, where a person finds it.
    elements: sent.map(({ element, problems }) =>
      problems.length === 0 ? element : withProblems({ value: element, problems: [...problems] }),
    ),
    origin: file,
    onBad: isStrict ? "refuse" : "quarantine",
    sourceOf: needs.reader.sourceOf,
    rereads: "never",
  });
  if ("notStored" in taken) {
    log.warn({ file }, "a file waits: the adapter cannot store it now");
    return false;
  }
  const { lines, count } = linesOf({ ...reading, unmapped, bad: taken.bad, sent }, needs);
  const good = isStrict && taken.bad.length > 0 ? 0 : sent.length - taken.bad.length;
  if (count > 0 && good === 0) {
    await refuse(claimed, { lines, count, taken: 0 }, needs);
    return true;
  }
  const stampedName = stamped(claimed.name, needs);
  if (count > 0) await giveReasons(stampedName, { lines, count, taken: good }, needs, claimed.name);
  await store.move(claimed, { folder: needs.doneFolder, name: stampedName });
  const { leftOut, unusedColumns, dateByConvention } = reading.notes;
  const notes = {
    ...(leftOut > 0 ? { leftOut } : {}),
    ...(unusedColumns.length > 0 ? { unusedColumns } : {}),
    ...(dateByConvention === null ? {} : { dayFirst: `${dateByConvention.text} = ${dateByConvention.value}` }),
  };
  log.info(
    { file, taken: taken.ids.length, unchanged: taken.unchanged, errors: count, ...notes },
    "a file was taken in",
  );
  return true;
}

const whole = (line: string): Reasons => ({ lines: [line], count: 1, taken: 0 });

async function readSafely(name: string, bytes: Buffer, { reader, log }: TakeNeeds) {
  try {
    return await reader.read(name, bytes);
  } catch (error) {
    if (error instanceof Fault) throw error;
    // A file that trips our own code must not hold up all that come after it.
    log.error({ err: error, file: shownName(name) }, "a file could not be read");
    return { refusal: ["the file could not be read; the log of the adapter says more"], count: 1 };
  }
}

interface Wrong {
  readonly withheld: readonly FileProblem[];
  readonly withheldCount: number;
  readonly unmapped: readonly ReadRecord[];
  readonly bad: readonly BadElement[];
  readonly sent: readonly ReadRecord[];
}

function linesOf({ withheld, withheldCount, unmapped, bad, sent }: Wrong, { reader }: TakeNeeds) {
  const lines: OperatorText[] = withheld.slice(0, maxLines).map(({ text }) => text);
  let count = withheldCount;
  const add = (line: OperatorText) => {
    count++;
    if (lines.length < maxLines) lines.push(line);
  };
  for (const { row, problems } of unmapped) {
    for (const { field, text, source } of problems) {
      add(`Row ${row}, ${field}${source === undefined ? "" : ` (from ${source})`}: ${text}`);
    }
  }
  for (const { index, problems } of bad) {
    const { row = index + 1, problems: mapped = [] } = sent[index] ?? {};
    // The mapping's own words are there already.
    if (mapped.length > 0) continue;
    for (const { field, expected, detail = "", found = "" } of problems) {
      const column = reader.sourceOf(field) ?? field;
      // Every expectation has a text of that name; a test of the texts holds both lists equal.
      add(say(`files.cell.${expected}` as MessageKey, { row, column, value: "", literal: found, detail }));
    }
  }
  return { lines, count };
}

async function refuse(claimed: Place, reasons: Reasons, needs: TakeNeeds): Promise<void> {
  const name = stamped(claimed.name, needs);
  await giveReasons(name, reasons, needs, claimed.name);
  await needs.store.move(claimed, { folder: needs.errorFolder, name });
  needs.log.warn(
    { file: shownName(claimed.name), errors: reasons.count },
    "a file was refused; its reasons lie beside it",
  );
}

async function giveReasons(name: string, reasons: Reasons, needs: TakeNeeds, shown: string): Promise<void> {
  const place = { folder: needs.errorFolder, name: extendedName("", name, ".reason.txt") };
  await needs.store.write(place, Buffer.from(reasonText(shown, reasons, needs.language)));
}

/** `20260105T080000123Z-1a2b-orders.csv`: sorts by time, and never takes the place of another file. */
function stamped(name: string, { clock, instance }: TakeNeeds): string {
  const time = new Date(clock.now()).toISOString().replace(/[-:.]/g, "");
  return extendedName(`${time}-${instance.slice(-4)}-`, name);
}
