import type { PushTopic } from "../../contract/pushes.ts";
import { type CsvBytes, CsvRows } from "../../formats/csv/csv-rows.ts";
import { type CsvLayout, detectLayout, layoutBytes, type Subject } from "../../formats/csv/detect-csv.ts";
import { type BuilderOf, csvPass, mostHeldRows } from "../../formats/csv/read-csv.ts";
import { CellReader } from "../../formats/fields/cell-reader.ts";
import { ProblemList, readingOf } from "../../formats/import/file-reading.ts";
import type { FileSettings } from "../../formats/import/file-settings.ts";
import { csvSubjects, layoutRefusal, startRefusal } from "../../formats/import/read-file.ts";
import { type ByteFile, csvBytes, startOf } from "../../formats/stream/byte-file.ts";
import { findEncodingOf } from "../../formats/stream/find-encoding-of.ts";
import { type ApartKeys, KeyHashes } from "../../formats/stream/key-hashes.ts";
import { say } from "../../messages/message.ts";
import { flatBuilder, flatFields, flatLayout, refusedReading } from "./csv-records.ts";
import { refusedBecause, type SourceRecord, type SourceRecords } from "./source-records.ts";
import { type TableNeeds, tableLayout, tablePass, withoutQuoting } from "./table-records.ts";

type Head = Omit<Extract<SourceRecords, { records: unknown }>, "records">;
type Refused = Extract<SourceRecords, { refusal: unknown }>;

/** A CSV file that was read completely once, and can be read again. */
export interface CsvStream extends Head {
  /** Its good records in batches of different length; each call starts at the first record. */
  readonly portions: () => Generator<readonly SourceRecord[]>;
}

export interface StreamNeeds {
  readonly topic: PushTopic;
  readonly settings: FileSettings;
  /** Columns that the mapping reads; undefined without a mapping. */
  readonly columns: readonly string[] | undefined;
  readonly groupBy: string | undefined;
}

/**
 * Reads a CSV file of any length in bounded memory, with the same result as for a smaller file. It is read several
 * times: for its encoding, for keys whose rows are not adjacent, to validate every row, and then for its records.
 */
export function csvStream(file: ByteFile, needs: StreamNeeds): CsvStream | Refused {
  const start = startOf(file, layoutBytes);
  const detect = (subject: Subject) =>
    detectLayout({ start, find: (fixed) => findEncodingOf(file, fixed), subject, settings: needs.settings });
  if (needs.columns !== undefined) return tableStream(file, { ...needs, columns: needs.columns }, detect);
  const fields = flatFields[needs.topic];
  if (fields !== undefined) {
    const layout = flatLayout(fields, detect);
    if ("refusal" in layout) return layout;
    return recordStream(file, { ...needs, layout, builder: flatBuilder, hasHeadRows: false }, (record) => record);
  }
  const subject = csvSubjects[needs.topic === "items" ? "items" : "workOrders"];
  const foreign = startRefusal(start);
  if (foreign !== null) return refusedReading(foreign);
  const layout = detect(subject.csv);
  const refusal = layoutRefusal(start, layout);
  if (refusal !== null || layout === null || "refusal" in layout)
    return refusal === null ? refusedBecause(say("files.empty")) : refusedReading(refusal);
  // The builder of either topic: its records are not inspected here.
  const builder = subject.builder as BuilderOf<unknown>;
  const how = { ...needs, layout, builder, hasHeadRows: subject.hasHeadRows };
  return recordStream(file, how, (value, index) => ({ row: index + 1, value }));
}

interface HowToRead<Item> extends StreamNeeds {
  readonly layout: CsvLayout;
  readonly builder: BuilderOf<Item>;
  readonly hasHeadRows: boolean;
}

function recordStream<Item>(
  file: ByteFile,
  how: HowToRead<Item>,
  record: (item: Item, index: number) => SourceRecord,
): CsvStream | Refused {
  const open = () => csvBytes(file, how.layout.encoding, how.layout.markLength);
  const apart = repeatedNumbers(how, open);
  if ("refusal" in apart) return apart;
  let { layout } = how;
  let goodCount = 0;
  for (;;) {
    const pass = csvPass({ ...how, layout, open, apart });
    goodCount = 0;
    let step = pass.next();
    for (; step.done !== true; step = pass.next()) goodCount += step.value.length;
    if ("again" in step.value) {
      layout = step.value.again;
      continue;
    }
    const { records, badCount, problems, detected, notes } = step.value;
    goodCount += records.length;
    const isPartial = notes !== undefined && goodCount > 0 && how.settings.badRecords === "quarantine";
    // Problems are reported as for a file in memory; the records themselves follow later.
    const head = { records: isPartial ? [null] : [], badCount, problems, detected, isPartial };
    const reading = readingOf({ ...head, ...(notes === undefined ? {} : { notes }) });
    if (!reading.ok) return refusedReading(reading);
    const passAgain = { ...how, layout, open, apart };
    return {
      isReady: true,
      withheld: reading.withheld?.problems ?? [],
      withheldCount: reading.withheld?.problemCount ?? 0,
      ...(notes === undefined ? {} : { notes }),
      columns: detected.columns,
      portions: function* () {
        let index = 0;
        const again = csvPass(passAgain);
        for (let now = again.next(); ; now = again.next()) {
          const items = now.done === true ? ("records" in now.value ? now.value.records : []) : now.value;
          yield items.map((item) => record(item, index++));
          if (now.done === true) return;
        }
      },
    };
  }
}

/** The numbers of orders whose rows are not adjacent, and of items that occur again. */
function repeatedNumbers(
  { layout, settings, hasHeadRows }: Omit<HowToRead<unknown>, "builder">,
  open: () => CsvBytes,
): ApartKeys | Refused {
  const column = layout.map.columns.find(({ field }) => field.name === "number");
  if (column === undefined) return { has: () => false };
  const rows = new CsvRows({ ...open(), delimiter: layout.delimiter });
  // Problems with a number are reported when its row is read.
  const needs = { rows, settings, columns: layout.map.columns, decimals: layout.decimals, dates: layout.dates };
  const cells = new CellReader({ ...needs, problems: new ProblemList() });
  return repeatedIn(rows, layout.headerRow, hasHeadRows, () => {
    const number = cells.read(column);
    return typeof number === "string" ? number : undefined;
  });
}

function repeatedIn(
  rows: CsvRows,
  headerRow: number,
  areRunsOne: boolean,
  keyOf: () => string | undefined,
): ApartKeys | Refused {
  const hashes = new KeyHashes();
  let latest: string | undefined;
  while (rows.next()) {
    if (rows.row <= headerRow) continue;
    const key = keyOf();
    if (key === undefined || (areRunsOne && key === latest)) continue;
    latest = key;
    if (hashes.isFull) return tooManyApart(rows.row);
    hashes.add(key);
  }
  return hashes.repeated() ?? tooManyApart(rows.row);
}

const tooManyApart = (row: number): Refused =>
  refusedBecause(say("files.row.apart", { row, column: "", value: "", limit: mostHeldRows }));

function tableStream(
  file: ByteFile,
  needs: StreamNeeds & TableNeeds,
  detect: (subject: Subject) => ReturnType<typeof detectLayout>,
): CsvStream | Refused {
  const layout = tableLayout(needs, detect);
  if ("refusal" in layout) return layout;
  const open = () => csvBytes(file, layout.encoding, layout.markLength);
  const apart = repeatedKeys(layout, needs.groupBy, open);
  if ("refusal" in apart) return apart;
  const pass = () => tablePass({ ...needs, layout, open, apart, problems: new ProblemList() });
  const first = pass();
  let step = first.next();
  while (step.done !== true) step = first.next();
  if ("refusal" in step.value) return step.value;
  const { notes } = step.value;
  return {
    ...{ isReady: false, withheld: [], withheldCount: 0, notes, columns: layout.map.all },
    portions: function* () {
      for (const record of pass()) yield [record];
    },
  };
}

function repeatedKeys(layout: CsvLayout, groupBy: string | undefined, open: () => CsvBytes): ApartKeys | Refused {
  const index = groupBy === undefined ? -1 : layout.map.all.findIndex(({ header }) => header.trim() === groupBy);
  if (index < 0) return { has: () => false };
  const rows = new CsvRows({ ...open(), delimiter: layout.delimiter });
  return repeatedIn(rows, layout.headerRow, true, () => withoutQuoting(rows.trimmed(index)) || undefined);
}
