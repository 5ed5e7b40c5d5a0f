import { readFile } from "node:fs/promises";
import { type PushTopic, pushRow } from "../../../contract/pushes.ts";
import type { FileNotes } from "../../../formats/import/file-reading.ts";
import type { FileSettings } from "../../../formats/import/file-settings.ts";
import { mappedIdentifierProblems } from "../../../formats/import/json-identifiers.ts";
import { compileMapping, type Mapping, MappingError } from "../../../mapping/compile-mapping.ts";
import {
  columnsOf,
  identityMap,
  refusedBecause,
  type SourceRecord,
  type SourceRecords,
} from "../../../mapping/documents/source-records.ts";
import { ExpressionError, expression } from "../../../mapping/expressions/expression.ts";
import type { Mapped, MappedProblem } from "../../../mapping/run.ts";
import { withSource } from "../../../mapping/source-record.ts";
import { localise } from "../../../messages/localise.ts";
import type { Message } from "../../../messages/message.ts";
import type { DateSettings } from "../../../operation/dates.ts";
import { Fault } from "../../../operation/fault.ts";
import type { FileFormat, Incoming } from "../options.ts";
import type { Place } from "../store/file-store.ts";
import type { Spool, SpooledFile } from "../store/spool.ts";
import { readAside, readStream, type StreamedRecords } from "./read-aside.ts";

interface RecordProblem extends MappedProblem {
  /** The whole problem with its place, in the reader's language; absent if the mapping itself reports it. */
  readonly message?: Message;
}

/** One record in the form of a push, and its place in the file. */
export interface ReadRecord {
  readonly row: number;
  /** The original record. Set only for previews: for a whole file it would double the memory. */
  readonly value?: unknown;
  readonly element: unknown;
  readonly problems: readonly RecordProblem[];
}

export type RecordsRead =
  | (Omit<Extract<SourceRecords, { records: unknown }>, "records" | "isReady" | "notes"> & {
      readonly records: readonly ReadRecord[];
      readonly notes: FileNotes;
    })
  | Extract<SourceRecords, { refusal: unknown }>;

export type StreamRead =
  | (Omit<Extract<RecordsRead, { records: unknown }>, "records"> &
      Pick<StreamedRecords, "close"> & {
        readonly portions: () => AsyncIterable<readonly ReadRecord[]>;
      })
  | Extract<SourceRecords, { refusal: unknown }>;

export interface RecordReader {
  readonly read: (name: string, bytes: Uint8Array, limit?: number) => Promise<RecordsRead>;
  /** Whether a file of this kind can be streamed instead of loaded. */
  readonly isStreamed: (name: string, start: Uint8Array) => boolean;
  /** Like read, for a file that is too large for memory; only if `isStreamed` is true. */
  readonly stream: (file: Pick<SpooledFile, "path">) => Promise<StreamRead>;
  /** The source field that a member is mapped from; undefined without a mapping. */
  readonly sourceOf: (field: string) => string | undefined;
}

const noNotes: FileNotes = { leftOut: 0, unusedColumns: [], dateByConvention: null };

/** Records between two turns of the event loop: without the pause, a large file would delay scans. */
const recordsPerTurn = 50;
const fewRecords = 1_000;

/** Reads files of one kind, as configured. */
export function recordReader(incoming: Incoming, dates: DateSettings): RecordReader {
  const { topic, map, groupBy, records: path, badRecords = "refuse", profiles = [], encoding, where } = incoming;
  if (groupBy !== undefined && map === undefined) throw new Fault("invalid", "`groupBy` needs `map`");
  const given = map === undefined ? undefined : compiled(map, topic, dates);
  const plain = compiled(identityMap(pushRow(topic).element), topic, dates);
  const settings: FileSettings = {
    ...{ dates, profiles, badRecords },
    ...(encoding === undefined ? {} : { encoding }),
    ...(typeof where === "object" ? { where } : {}),
  };
  const isWanted = typeof where === "string" ? recordFilter(where) : undefined;
  const columns = map === undefined ? undefined : [...columnsOf(map), ...(groupBy === undefined ? [] : [groupBy])];
  const spec = { topic, path, settings, columns, groupBy };
  const sourced = ({ value }: Mapped, record: unknown) =>
    given === undefined ? value : withSource(value, { record, sourceOf: given.sourceOf });

  const streamed = async (found: StreamedRecords): Promise<StreamRead> => {
    const mapping = given ?? (found.isReady ? undefined : plain);
    const { withheld, withheldCount, close } = found;
    let leftOut = found.notes?.leftOut ?? 0;
    if (isWanted !== undefined) {
      // Runs before anything is stored: an expression that fails refuses the whole file.
      for await (const portion of found.portions()) {
        for (const record of portion) {
          const verdict = await isWanted(record);
          if (typeof verdict !== "object") leftOut += verdict ? 0 : 1;
          else {
            await close();
            return refusedBecause(verdict.reason);
          }
        }
      }
    }
    async function* portions(): AsyncGenerator<readonly ReadRecord[]> {
      for await (const portion of found.portions()) {
        const records: ReadRecord[] = [];
        for (const record of portion) {
          if (isWanted !== undefined && (await isWanted(record)) !== true) continue;
          const { row, value } = record;
          const mapped = mapping === undefined ? { value, problems: [] } : await mapping.apply(value);
          const problems = mapping === undefined ? [] : problemsOf(mapped, record, true);
          records.push({ row, element: sourced(mapped, value), problems });
        }
        yield records;
      }
    }
    const columns = found.columns === undefined ? {} : { columns: found.columns };
    const notes = { ...noNotes, ...found.notes, leftOut };
    return { withheld, withheldCount, ...columns, notes, portions, close };
  };

  return {
    read: async (name, bytes, limit = Number.POSITIVE_INFINITY) => {
      const format = incoming.format ?? fileFormat(name, bytes);
      const found = await readAside(bytes, { ...spec, format }, limit);
      if ("refusal" in found) return found;
      const mapping = given ?? (found.isReady ? undefined : plain);
      const records: ReadRecord[] = [];
      let leftOut = found.notes?.leftOut ?? 0;
      for await (const portion of found.portions) {
        for (const record of portion) {
          const verdict = isWanted === undefined || (await isWanted(record));
          if (typeof verdict === "object") return refusedBecause(verdict.reason);
          if (!verdict) {
            leftOut++;
            continue;
          }
          const mapped =
            mapping === undefined ? { value: record.value, problems: [] } : await mapping.apply(record.value);
          const { row, value } = record;
          const shown = Number.isFinite(limit) ? { value } : {};
          const problems = mapping === undefined ? [] : problemsOf(mapped, record, format === "csv");
          // The sources of a long file would double the memory; those of bad records are few.
          const isKept = records.length < fewRecords || problems.length > 0;
          records.push({ row, ...shown, element: isKept ? sourced(mapped, value) : mapped.value, problems });
          if (records.length % recordsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      }
      const { withheld, withheldCount, notes } = found;
      const columns = found.columns === undefined ? {} : { columns: found.columns };
      return { records, withheld, withheldCount, ...columns, notes: { ...noNotes, ...notes, leftOut } };
    },
    isStreamed: (name, start) => (incoming.format ?? fileFormat(name, start)) === "csv",
    stream: async ({ path: file }) => {
      const found = await readStream(file, { ...spec, format: "csv" });
      if ("refusal" in found) return found;
      try {
        return await streamed(found);
      } catch (error) {
        await found.close();
        throw error;
      }
    },
    sourceOf: (field) => given?.sourceOf(field),
  };
}

/** The problems of a mapped record, with numbers that are none: an import without a mapping refuses them, too. */
function problemsOf(
  { value, problems }: Mapped,
  { row, quoted }: SourceRecord,
  isTable: boolean,
): readonly RecordProblem[] {
  const found = mappedIdentifierProblems(value, row, { isTable, quoted });
  if (found.length === 0) return problems;
  return [
    ...problems,
    ...found.map(({ column, text }) => ({ field: column, text: localise(text, "en"), message: text })),
  ];
}

function compiled(map: unknown, topic: PushTopic, dates: DateSettings): Mapping {
  try {
    return compileMapping(map, { dates, target: pushRow(topic).element });
  } catch (error) {
    if (error instanceof MappingError)
      throw new Fault("invalid", `map of ${topic}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The format of a file: by its first character, because names can be wrong; otherwise by its extension. */
function fileFormat(name: string, bytes: Uint8Array): FileFormat {
  const start = Buffer.from(bytes.subarray(0, 64))
    .toString("latin1")
    .replace(/\0/g, "")
    .replace(/^(?:ï»¿|ÿþ|þÿ)/, "")
    .trimStart()[0];
  if (start === "{" || start === "[") return "json";
  if (start === "<") return "xml";
  const extension = /\.(json|xml)$/i.exec(name)?.[1]?.toLowerCase();
  return extension === "json" || extension === "xml" ? extension : "csv";
}

/**
 * Whether a record is wanted, by a JSONata expression such as `= Status = "open" and Qty > 0`; or the reason why that
 * cannot be decided.
 */
export function recordFilter(where: string): (record: SourceRecord) => Promise<boolean | { readonly reason: string }> {
  const { evaluate } = compiledFilter(where.slice(1).trim());
  return async ({ row, value }) => {
    try {
      const found: unknown = await evaluate(value);
      // A missing member makes a comparison false. Any value other than true or false is a mistake in the expression.
      if (found === undefined || typeof found === "boolean") return found ?? false;
      return { reason: `record ${row}: \`where\` gives ${JSON.stringify(found)} instead of true or false` };
    } catch (error) {
      return { reason: `record ${row}: \`where\` failed: ${(error as Error).message}` };
    }
  };
}

function compiledFilter(text: string) {
  try {
    return expression(text);
  } catch (error) {
    if (error instanceof ExpressionError) throw new Fault("invalid", `where: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A JSON or XML document is parsed as one value, which takes ten times its size in memory. */
const mostWholeMiB = 64;

/**
 * Returns the bytes of a file, a copy if it is a large CSV file, or a refusal if it is too large for its format. Null
 * if the file is gone.
 */
export async function fetchFile(
  place: Place,
  needs: { readonly spool: Spool; readonly reader: RecordReader; readonly maxBytes: number },
): Promise<Buffer | SpooledFile | null | { readonly tooLarge: string }> {
  const { spool, reader, maxBytes } = needs;
  const found = await spool.fetch(place, maxBytes);
  if (found === "too-large") {
    const limit = `${Math.floor(maxBytes / 2 ** 20)} MiB`;
    return { tooLarge: `the file is larger than ${limit}; split it, or raise \`maxMiB\`` };
  }
  if (found === null || Buffer.isBuffer(found) || reader.isStreamed(place.name, found.start)) return found;
  try {
    if (found.size <= mostWholeMiB * 2 ** 20) return await readFile(found.path);
    return {
      tooLarge: `JSON and XML files are read up to ${mostWholeMiB} MiB, whatever \`maxMiB\` says; split it, or write CSV`,
    };
  } finally {
    await found.remove();
  }
}
