import { exactNumber } from "../../kit/json/exact-number.ts";
import type { MessageKey } from "../../messages/catalogue.ts";
import { type Message, say } from "../../messages/message.ts";
import type { DateOrder } from "../../operation/dates.ts";
import type { Encoding } from "../encodings/encoding.ts";

const maxKept = 100;
/** Nobody reads a larger number, and finding out all problems of a file full of them takes a minute. */
const mostCounted = 10_000;
const maxValueLength = 60;

interface ProblemPlace {
  readonly row: number;
  readonly column?: string;
  readonly value?: string;
  /** A value of a JSON file as written there: a text has its quotes. */
  readonly literal?: string;
}

/**
 * Counts problems and keeps the first hundred: a file full of errors must not fill the memory. Beyond `mostCounted` a
 * file that is refused anyway is read no further.
 */
export class ProblemList {
  count = 0;
  readonly #kept: FileProblem[] = [];

  get isFull(): boolean {
    return this.count >= mostCounted;
  }

  add(key: MessageKey, place: ProblemPlace, details: Message["values"] = {}): void {
    this.count++;
    if (this.#kept.length >= maxKept) return;
    const { row, column = "" } = place;
    const value = shortened(place.value ?? "");
    const literal = shortened(place.literal ?? "");
    const text = say(key, { row, column, value, literal, ...details });
    this.#kept.push({ row, column, value: value || literal, text });
  }

  /** Sorted by row: some problems are found only at the end of an order. */
  sorted(): readonly FileProblem[] {
    return this.#kept.toSorted((one, other) => one.row - other.row);
  }
}

const shortened = (value: string) => (value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value);

/** Makes the result: all records or none; with isPartial, the good records if there are any. */
export function readingOf<Item>(result: {
  records: readonly Item[];
  badCount: number;
  problems: ProblemList;
  detected: Detected;
  isPartial: boolean;
  notes?: FileNotes;
}): FileReading<Item> {
  const { records, problems, detected, isPartial } = result;
  const { count: problemCount } = problems;
  const notes = result.notes === undefined ? {} : { notes: result.notes };
  if (problemCount === 0) return { ok: true, records, detected, withheld: null, ...notes };
  if (isPartial && records.length > 0) {
    const withheld = { recordCount: result.badCount, problems: problems.sorted(), problemCount };
    return { ok: true, records, detected, withheld, ...notes };
  }
  const message = say("files.refused", { count: problemCount });
  return { ok: false, result: "InvalidInput", message, problems: problems.sorted(), problemCount, detected };
}

/** One problem and its place. Plain data, because readings are sent between threads. */
export interface FileProblem {
  /** Row of the file, or number of the JSON element; counted from 1. */
  readonly row: number;
  /** Header of the column, or path of the field. Empty for the whole row. */
  readonly column: string;
  /** The value, shortened. */
  readonly value: string;
  /** The whole problem as text, with what is expected. */
  readonly text: Message;
}

export interface DetectedColumn {
  readonly header: string;
  /** The contract's field; null if the column is not used. */
  readonly field: string | null;
}

/** The detected layout of the file. */
export interface Detected {
  readonly kind: "csv" | "json";
  readonly encoding: Encoding;
  /** Name of the profile that matched its header row. */
  readonly profile: string | null;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly delimiter?: string;
  readonly headerRow?: number;
  readonly decimalSign?: DecimalSign;
  readonly decimalBasis?: Basis;
  readonly dateOrder?: DateOrder;
  readonly dateBasis?: Basis;
  readonly columns: readonly DetectedColumn[];
}

interface Withheld {
  readonly recordCount: number;
  readonly problems: readonly FileProblem[];
  readonly problemCount: number;
}

/** What was ambiguous, or not used at all. */
export interface FileNotes {
  /** Rows that `where` left out. */
  readonly leftOut: number;
  readonly unusedColumns: readonly string[];
  /** A date that was read with the day first because that is usual in such files. */
  readonly dateByConvention: { readonly text: string; readonly value: string } | null;
  /** A date whose time does not exist, because summer time begins then, and what was read. */
  readonly skippedTime?: { readonly row: number; readonly text: string; readonly value: string } | undefined;
  /** Two cells that may be one number with a decimal comma, such as `1,0`. */
  readonly splitNumber?: { readonly row: number; readonly text: string; readonly columns: string } | undefined;
  /** A column of numbers of orders or items that all end with `.0`, and the first of them. */
  readonly floatNumber?: { readonly column: string; readonly text: string } | undefined;
}

interface FileRecords<Item> {
  readonly ok: true;
  readonly records: readonly Item[];
  readonly detected: Detected;
  /** What was left out of a partial reading. */
  readonly withheld: Withheld | null;
  /** Set for CSV files. */
  readonly notes?: FileNotes;
}

export interface FileRefusal {
  readonly ok: false;
  readonly result: "InvalidInput" | "FileNotSupported";
  readonly message: Message;
  /** The first hundred problems. */
  readonly problems: readonly FileProblem[];
  readonly problemCount: number;
  readonly detected: Detected | null;
  /** The columns of a CSV file that was refused because of its header. */
  readonly columns?: readonly DetectedColumn[];
}

export type FileReading<Item> = FileRecords<Item> | FileRefusal;

export type DecimalSign = "." | ",";

// A thousands separator cannot follow zeros only, so 0.250 has one meaning; 012.345 has two.
const patterns: Readonly<Record<DecimalSign, RegExp>> = {
  ".": /^[+-]?(?:(?!0+,)\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?$/,
  ",": /^[+-]?(?:(?!0+\.)\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d+)?$/,
};
const groupSpaces = /(?<=\d)[ \u00a0\u202f'’](?=\d{3}(?!\d))/g;

/** Reads a number with one decimal sign, with or without thousands separators; null if it is not a number. */
export function readNumber(text: string, decimalSign: DecimalSign): number | null {
  const plain = plainDigits(text, decimalSign);
  return plain === null ? null : Number(plain);
}

/** Like readNumber, but a number with too many digits stays a text: `1,0000000000000001` is not 1. */
export function readExactNumber(text: string, decimalSign: DecimalSign): number | string | null {
  const plain = plainDigits(text, decimalSign);
  return plain === null ? null : exactNumber(plain);
}

function plainDigits(text: string, decimalSign: DecimalSign): string | null {
  const packed = text.replace(groupSpaces, "");
  if (!patterns[decimalSign].test(packed) || !/\d/.test(packed)) return null;
  return decimalSign === "." ? packed.replaceAll(",", "") : packed.replaceAll(".", "").replace(",", ".");
}

/** The basis of a convention: set by a profile, shown by unambiguous cells, usual for such files, or unknown. */
export type Basis = "profile" | "evidence" | "convention" | "none";

/** The cell that decided the convention. */
export interface Evidence {
  readonly row: number;
  readonly text: string;
}

export interface Guess<Choice> {
  readonly choice: Choice;
  readonly basis: Basis;
  /** Set if the basis is evidence. */
  readonly shownBy?: Evidence;
}

export const ambiguous = Symbol("ambiguous");

/**
 * Reads cells that mean different things under two conventions (1,000 or 03/04/2026) and learns from unambiguous
 * cells. From then on the whole file is read that way; if ambiguous cells came before, it is read again.
 */
export class TwoWayReader<Choice, Value> {
  #guess: Guess<Choice>;
  readonly #first: Choice;
  readonly #other: Choice;
  readonly #read: (text: string, choice: Choice) => Value | null;
  /** The first cell with a different meaning under the other convention, as it was read. */
  #doubtful: { readonly text: string; readonly value: Value } | null = null;
  /** Set if the file must be read again: the convention to use then. */
  again: Guess<Choice> | null = null;

  constructor(guess: Guess<Choice>, other: Choice, read: (text: string, choice: Choice) => Value | null) {
    this.#guess = guess;
    this.#first = guess.choice;
    this.#other = other;
    this.#read = read;
  }

  get guess(): Guess<Choice> {
    return this.#guess;
  }

  /** Whether there are ambiguous cells that no other cell of the file decides. */
  get isOpen(): boolean {
    return this.#doubtful !== null && this.#guess.basis === "none";
  }

  /** A cell that was read by convention only and could have another meaning; null if there is none. */
  get byConvention(): { readonly text: string; readonly value: Value } | null {
    return this.#guess.basis === "convention" ? this.#doubtful : null;
  }

  /** Called when something in the file contradicts the convention: the convention decides nothing from now on. */
  dropConvention(): void {
    if (this.#guess.basis !== "convention") return;
    this.#guess = { choice: this.#guess.choice, basis: "none" };
    if (this.#doubtful !== null) this.again = this.#guess;
  }

  /** The cell that rules out a text which the other convention could read; null if neither convention can read it. */
  excludedBy(text: string): Evidence | null {
    const { choice, shownBy } = this.#guess;
    if (shownBy === undefined || this.#read(text, choice) !== null) return null;
    return this.#read(text, choice === this.#other ? this.#first : this.#other) === null ? null : shownBy;
  }

  read(text: string, row: number): Value | null | typeof ambiguous {
    const { choice, basis } = this.#guess;
    const value = this.#read(text, choice);
    if (basis === "profile" || basis === "evidence") return value;
    const otherValue = this.#read(text, this.#other);
    if (value === otherValue) return value;
    if (value !== null && otherValue !== null) {
      this.#doubtful ??= { text, value };
      return basis === "convention" ? value : ambiguous;
    }
    const isAsGuessed = value !== null;
    this.#guess = { choice: isAsGuessed ? choice : this.#other, basis: "evidence", shownBy: { row, text } };
    if (this.#doubtful !== null && !(isAsGuessed && basis === "convention")) this.again = this.#guess;
    return value ?? otherValue;
  }
}
