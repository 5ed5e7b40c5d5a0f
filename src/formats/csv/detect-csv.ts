import type { Message } from "../../messages/message.ts";
import type { DateOrder } from "../../operation/dates.ts";
import { asBuffer, asciiCompatible, type Encoding } from "../encodings/encoding.ts";
import { type FoundEncoding, findEncoding } from "../encodings/find-encoding.ts";
import type { DecimalSign, Guess } from "../import/file-reading.ts";
import type { FileProfile, FileSettings } from "../import/file-settings.ts";
import { CsvRows } from "./csv-rows.ts";
import { type ColumnMap, type Field, fitsProfile, type HeaderIndex, mapColumns } from "./map-columns.ts";

/** How to read a CSV file. */
export interface CsvLayout {
  readonly encoding: Encoding;
  /** Length of the byte order mark, which is skipped. */
  readonly markLength: number;
  readonly delimiter: string;
  readonly profile: FileProfile | null;
  /** Rows above the header are titles and notes of the program that wrote the file. */
  readonly headerRow: number;
  readonly map: ColumnMap;
  readonly decimals: Guess<DecimalSign>;
  readonly dates: Guess<DateOrder>;
  readonly score: number;
  /** Share of the first rows that have as many cells as the header. */
  readonly regularity: number;
  readonly isTooWide: boolean;
}

export interface Subject {
  readonly fields: readonly Field[];
  readonly index: HeaderIndex;
}

const delimiters = [";", ",", "\t", "|"];
const sampleLength = 1 << 16;
const maxHeaderRow = 10;
const sampleRows = 50;

/** This much of a file is enough to detect its layout. */
export const layoutBytes = sampleLength + 4;

type FoundLayout = CsvLayout | { readonly refusal: Message } | null;

export const detectCsv = (
  bytes: Uint8Array,
  subject: Subject,
  settings: Pick<FileSettings, "profiles" | "encoding">,
): FoundLayout => detectLayout({ start: bytes, find: (fixed) => findEncoding(bytes, fixed), subject, settings });

/** Reads the start of the file with every possible layout and keeps the one that recognises most columns. */
export function detectLayout(needs: {
  /** The whole file, or at least its first `layoutBytes`. */
  readonly start: Uint8Array;
  readonly find: (fixed: Encoding | undefined) => FoundEncoding;
  readonly subject: Subject;
  readonly settings: Pick<FileSettings, "profiles" | "encoding">;
}): FoundLayout {
  const { start: bytes, subject, settings } = needs;
  let best: CsvLayout | null = null;
  let refusal: Message | null = null;
  const found = new Map<Encoding | undefined, FoundEncoding>();
  for (const profile of [null, ...(settings.profiles ?? [])]) {
    const fixed = profile?.encoding ?? settings.encoding;
    const known = found.get(fixed) ?? needs.find(fixed);
    found.set(fixed, known);
    if ("refusal" in known) {
      refusal ??= known.refusal;
      continue;
    }
    const { encoding, markLength } = known;
    const sample = asciiCompatible(asBuffer(bytes.subarray(0, markLength + sampleLength)), encoding, markLength);
    const isCut = markLength + sampleLength < bytes.length;
    for (const delimiter of profile?.delimiter === undefined ? delimiters : [profile.delimiter]) {
      const layout = layoutOf({ sample, isCut, delimiter, profile, subject, encoding, markLength });
      if (layout !== null && (best === null || layout.score > best.score)) best = layout;
    }
  }
  return (best?.map.columns.length ?? 0) === 0 && refusal !== null ? { refusal } : best;
}

interface Attempt extends Pick<CsvLayout, "delimiter" | "profile" | "encoding" | "markLength"> {
  readonly sample: { readonly bytes: Buffer; readonly encoding: Encoding };
  readonly isCut: boolean;
  readonly subject: Subject;
}

function layoutOf(attempt: Attempt): CsvLayout | null {
  const { delimiter, profile, subject, encoding, markLength } = attempt;
  const { rows, isTooWide } = firstRows(attempt);
  let header: { map: ColumnMap; row: number; weight: number } | null = null;
  for (const [index, cells] of rows.slice(0, maxHeaderRow).entries()) {
    if (profile !== null && !fitsProfile(cells, profile)) continue;
    const map = mapColumns(cells, { ...subject, profile });
    const weight = map.columns.reduce((sum, { field }) => sum + (field.required ? 3 : 1), 0);
    if (header === null || weight > header.weight) header = { map, row: index + 1, weight };
    if (map.missing.length === 0) break;
  }
  if (header === null) return isTooWide ? tooWide(attempt) : null;
  const body = rows.slice(header.row).filter((cells) => cells.some((cell) => cell !== ""));
  const width = header.map.all.length;
  const regularity = body.length === 0 ? 1 : body.filter((cells) => cells.length === width).length / body.length;
  return {
    ...{ encoding, markLength, delimiter, profile, headerRow: header.row, map: header.map, regularity, isTooWide },
    decimals: knownDecimals(profile),
    dates: usualDates(delimiter, header.map.isForeign, profile),
    score: header.weight === 0 ? 0 : header.weight + regularity + (profile === null ? 0 : 100),
  };
}

function firstRows({ sample, isCut, delimiter }: Attempt): { rows: string[][]; isTooWide: boolean } {
  const reader = new CsvRows({ ...sample, delimiter });
  const rows: string[][] = [];
  while (rows.length < sampleRows && reader.next()) {
    rows.push(Array.from({ length: reader.cellCount }, (_, index) => reader.trimmed(index)));
  }
  // The sample may end within a row, so the last row is ignored, unless it is the only one.
  if (isCut && rows.length > 1 && rows.length < sampleRows) rows.pop();
  return { rows, isTooWide: reader.defect === "too-many-cells" };
}

function tooWide({ encoding, markLength, delimiter, subject }: Attempt): CsvLayout {
  return {
    ...{ encoding, markLength, delimiter, profile: null, headerRow: 1, regularity: 0, isTooWide: true, score: 0.5 },
    map: mapColumns([], { ...subject, profile: null }),
    decimals: knownDecimals(null),
    dates: { choice: "dmy", basis: "none" },
  };
}

/**
 * Only a profile decides the decimal sign in advance; delimiter and headings do not. A wrong guess would silently turn
 * 5 into 5000.
 */
function knownDecimals(profile: FileProfile | null): Guess<DecimalSign> {
  return profile?.decimalSign === undefined
    ? { choice: ".", basis: "none" }
    : { choice: profile.decimalSign, basis: "profile" };
}

/**
 * The usual date order. Only American files put the month first, and they have neither semicolons nor headings in other
 * languages.
 */
function usualDates(delimiter: string, isForeign: boolean, profile: FileProfile | null): Guess<DateOrder> {
  if (profile?.dateOrder !== undefined) return { choice: profile.dateOrder, basis: "profile" };
  return { choice: "dmy", basis: isForeign || delimiter === ";" ? "convention" : "none" };
}
