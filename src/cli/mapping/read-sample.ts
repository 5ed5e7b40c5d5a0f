import { extname } from "node:path";
import { CsvRows } from "../../formats/csv/csv-rows.ts";
import { asBuffer, asciiCompatible } from "../../formats/encodings/encoding.ts";
import { findEncoding } from "../../formats/encodings/find-encoding.ts";
import { jsonText } from "../../formats/import/read-json.ts";
import { parseExactJson } from "../../kit/json/exact-number.ts";
import { startRun } from "../../mapping/run.ts";
import { readSource, sourcePath } from "../../mapping/source/read-source.ts";
import { localise } from "../../messages/localise.ts";
import { CommandFailure } from "../command.ts";

/** The records of a sample file: JSON, XML, or CSV with a header row. `path` is the place of the list in it. */
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
  const parsed = sourcePath(path);
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
