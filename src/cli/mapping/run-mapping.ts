import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { QueryId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import { CsvRows } from "../../formats/csv/csv-rows.ts";
import { asBuffer, asciiCompatible } from "../../formats/encodings/encoding.ts";
import { findEncoding } from "../../formats/encodings/find-encoding.ts";
import { jsonText } from "../../formats/import/read-json.ts";
import { parseExactJson } from "../../kit/json/exact-number.ts";
import { memberPath } from "../../kit/json/member-path.ts";
import { checkMapped, compileMapping, mappedSchema } from "../../mapping/compile-mapping.ts";
import { startRun } from "../../mapping/run.ts";
import { readSource } from "../../mapping/source/read-source.ts";
import { defaultLanguage } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { problemText } from "../../operation/fault.ts";
import { CommandFailure } from "../command.ts";
import type { FoundMapping } from "./find-mapping.ts";

/** One record of a sample and its mapped result. */
export interface MappedSample {
  /** As the platform would get it; incomplete if there are problems. */
  readonly record: unknown;
  readonly problems: readonly SampleProblem[];
}

export interface SampleProblem {
  readonly field: string;
  readonly text: string;
  /** The source field in the sample. */
  readonly source?: string;
}

/** Maps every record of a sample and checks it against the contract, as a connector would. */
export async function runMapping(needs: {
  readonly spec: unknown;
  readonly records: readonly unknown[];
  /** Null for an outgoing event, for which the contract has no schema. */
  readonly serves: QueryId | PushTopic | null;
  readonly dates: DateSettings;
}): Promise<MappedSample[]> {
  const { spec, records, serves, dates } = needs;
  const target = serves === null ? undefined : mappedSchema(serves);
  const mapping = compileMapping(spec, { dates, ...(target === undefined ? {} : { target }) });
  const samples: MappedSample[] = [];
  for (const source of records) {
    const { value, problems } = await mapping.apply(source);
    const checked = serves === null ? { record: value } : checkMapped(serves, value, dates);
    if (!("problems" in checked)) {
      samples.push({ record: problems.length === 0 ? checked.record : value, problems });
      continue;
    }
    // If the mapping could not produce a member, the contract check finds it missing too. Only the mapping's text is
    // reported.
    const reported = new Set(problems.map(({ field }) => field));
    const objections = checked.problems
      .filter(({ field }) => !reported.has(field))
      .map((problem) => {
        const origin = mapping.sourceOf(problem.field);
        const text = localise(problemText(problem), defaultLanguage);
        return { field: problem.field, text, ...(origin === undefined ? {} : { source: origin }) };
      });
    samples.push({ record: value, problems: [...problems, ...objections] });
  }
  return samples;
}

/**
 * A captured sample and its result. It is stored beside the configuration and run before a change of the mapping goes
 * live.
 */
interface MappingTest {
  /** The mapping that is tested: its path in the configuration, or its own file. */
  readonly mapping: FoundMapping["place"];
  readonly as: QueryId | PushTopic | null;
  readonly sample: readonly unknown[];
  readonly expected: readonly MappedSample[];
}

const folderName = "mapping-tests";

/** Writes the test and returns its path. */
export function saveMappingTest(folder: string, name: string, test: MappingTest): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)) {
    throw new CommandFailure(`${JSON.stringify(name)} is not a valid name of a test`, {
      next: "use letters, digits, dots and hyphens, such as --save order-with-batch",
    });
  }
  mkdirSync(join(folder, folderName), { recursive: true });
  const file = join(folderName, `${name}.json`);
  writeFileSync(join(folder, file), `${JSON.stringify(test, null, 2)}\n`);
  return file;
}

export function savedMappingTests(folder: string): { readonly name: string; readonly test: MappingTest }[] {
  const path = join(folder, folderName);
  let files: string[];
  try {
    files = readdirSync(path).filter((file) => file.endsWith(".json"));
  } catch {
    files = [];
  }
  if (files.length === 0) {
    throw new CommandFailure(`there are no mapping tests in ${path}`, {
      next: "capture one: crossdock map sample.json --at connectors.erp.operations.listWorkOrders.map --save NAME",
    });
  }
  return files.toSorted().map((file) => ({ name: file.slice(0, -5), test: read(join(path, file)) }));
}

function read(file: string): MappingTest {
  try {
    const { mapping, as, sample, expected } = JSON.parse(readFileSync(file, "utf8"));
    if (typeof mapping === "object" && Array.isArray(sample) && Array.isArray(expected))
      return { mapping, as, sample, expected };
  } catch {
    // Reported below, like every file that is not a test.
  }
  throw new CommandFailure(`${file} is not a mapping test`, { next: "capture it again with crossdock map --save" });
}

/** The records of a sample file: JSON, XML, or CSV with a header row. `path` leads to the list of records. */
export async function readSample(bytes: Uint8Array, file: string, path: string | undefined): Promise<unknown[]> {
  const kind = extname(file).toLowerCase();
  const whole =
    kind === ".csv" || kind === ".txt"
      ? csvRecords(bytes, file)
      : kind === ".xml"
        ? await xml(bytes, file)
        : json(bytes, file);
  const found = path === undefined ? whole : at(whole, path);
  if (found === undefined || found === null) {
    throw new CommandFailure(`${file} has no records at ${path ?? "its top"}`, {
      next: "name the list in the file with --records, such as --records data.items",
    });
  }
  return Array.isArray(found) ? found : [found];
}

function at(whole: unknown, path: string): unknown {
  const parsed = memberPath(path);
  if (parsed === null)
    throw new CommandFailure(`${path} is not a path`, { next: "write it as data.items or result[0].rows" });
  return readSource(parsed, 0)(whole, startRun(whole));
}

function json(bytes: Uint8Array, file: string): unknown {
  const source = jsonText(bytes, undefined);
  if ("refusal" in source) {
    throw new CommandFailure(`${file}: ${localise(source.refusal.message, "en")}`, { next: "save the file as UTF-8" });
  }
  try {
    return parseExactJson(source.text);
  } catch (error) {
    throw new CommandFailure(`${file} is not JSON: ${(error as Error).message}`, {
      next: "give a .json, .xml or .csv file with the records as the external system sends them",
    });
  }
}

async function xml(bytes: Uint8Array, file: string): Promise<unknown> {
  const { parseXml } = await import("../../formats/xml/parse-xml.ts");
  const reading = parseXml(bytes);
  if ("value" in reading) return reading.value;
  const { line, column, text } = reading.flaw;
  throw new CommandFailure(`${file}:${line}:${column}: ${text}`, { next: "give a valid XML file" });
}

/** Cells by the names of the header row; the delimiter is the one that splits the header into most cells. */
function csvRecords(bytes: Uint8Array, file: string): Record<string, string>[] {
  const found = findEncoding(bytes, undefined);
  if ("refusal" in found) {
    throw new CommandFailure(`${file}: ${localise(found.refusal, "en")}`, { next: "save the file as UTF-8" });
  }
  const source = asciiCompatible(asBuffer(bytes), found.encoding, found.markLength);
  const headerOf = (delimiter: string) => {
    const rows = new CsvRows({ ...source, delimiter });
    return { rows, names: rows.next() ? cellsOf(rows) : [] };
  };
  const [best] = [";", ",", "\t", "|"].map(headerOf).toSorted((a, b) => b.names.length - a.names.length);
  const records: Record<string, string>[] = [];
  while (best?.rows.next() === true) {
    if (best.rows.isBlank()) continue;
    const cells = cellsOf(best.rows);
    records.push(Object.fromEntries(best.names.map((name, index) => [name, cells[index] ?? ""])));
  }
  return records;
}

const cellsOf = (rows: CsvRows): string[] => Array.from({ length: rows.cellCount }, (_, index) => rows.trimmed(index));
