import { limits } from "../../contract/limits.ts";
import { type DateOrder, type DateSettings, firstYear, isSkippedTime, readDateTime } from "../../operation/dates.ts";
import { isMeasure } from "../../operation/normalise-work-order.ts";
import type { CsvRows } from "../csv/csv-rows.ts";
import type { Column } from "../csv/map-columns.ts";
import {
  ambiguous,
  type DecimalSign,
  type FileNotes,
  type Guess,
  type ProblemList,
  readExactNumber,
  readNumber,
  TwoWayReader,
} from "../import/file-reading.ts";
import type { FileSettings } from "../import/file-settings.ts";
import { foldName, requestTypeNames, unitNames } from "./enum-names.ts";
import {
  invisibleIn,
  isMonthAndYear,
  isOnlySigns,
  isWholeDate,
  mayBeNumberedError,
  quotedFormula,
  scientific,
  standsForNothing,
  traceInIdentifier,
  traceInText,
} from "./spreadsheet-trace.ts";
import { isTotal, mayBeTotal } from "./total-words.ts";
import { hasHalfDay, inFigures, mayBeginWithYear, serialDate, writtenOrder } from "./written-dates.ts";

const maxKnownDates = 1_000;
/** A two-digit year such as 99 may be 1999 or 2099: from here on, four digits are required. */
const lastShortYear = 2070;
/** Later years are slips (3020) or of another calendar (2573). Programs write 9999 where no date is meant. */
const lastYear = 2199;
const noYear = 9999;
const equalsSign = 61;
const hash = 35;
const colon = 58;
const apostrophe = 39;
const zero = 48;
const nine = 57;
const letterA = 65;

type SkippedTime = NonNullable<FileNotes["skippedTime"]>;

/** Undefined for a blank cell; null for a bad one, which was reported. */
export type CellValue = string | number | null | undefined;

/** Reads the cells of the current row by the type of their column, and reports those that do not fit. */
export class CellReader {
  readonly rows: CsvRows;
  readonly problems: ProblemList;
  readonly decimals: TwoWayReader<DecimalSign, number>;
  readonly dates: TwoWayReader<DateOrder, string>;
  readonly #required: readonly Column[];
  readonly #dateSettings: DateSettings;
  readonly #knownDates = new Map<string, string>();
  hasOrderedDates = false;
  /** A date of three short numbers, read with the day first, that could also begin with its year. */
  shortYear: { readonly text: string; readonly value: string } | null = null;
  /** The first date with a time that clocks skip when summer time begins. */
  skippedTime: SkippedTime | undefined;

  constructor(needs: {
    rows: CsvRows;
    problems: ProblemList;
    /** The columns of the file that are used. */
    columns: readonly Column[];
    decimals: Guess<DecimalSign>;
    dates: Guess<DateOrder>;
    settings: FileSettings;
  }) {
    this.rows = needs.rows;
    this.problems = needs.problems;
    this.#required = needs.columns.filter(({ field }) => field.required);
    this.decimals = new TwoWayReader(needs.decimals, needs.decimals.choice === "." ? "," : ".", readNumber);
    this.#dateSettings = needs.settings.dates;
    this.dates = new TwoWayReader(needs.dates, needs.dates.choice === "mdy" ? "dmy" : "mdy", (text, dateOrder) =>
      readDateTime(inFigures(text) ?? text, this.#settingsFor(text, dateOrder)),
    );
  }

  /** Whether later cells have shown that earlier ones were read wrongly. */
  get mustStartAgain(): boolean {
    return this.decimals.again !== null || this.dates.again !== null;
  }

  /** Whether a later cell may still decide how ambiguous ones are read. */
  get isUndecided(): boolean {
    return this.decimals.isOpen || this.dates.isOpen;
  }

  read(column: Column): CellValue {
    const { kind } = column.field;
    if (kind === "amount") return this.#amount(column);
    const text = this.rows.trimmed(column.index);
    if (text === "") return undefined;
    if (kind === "text") return this.#text(column, text);
    if (kind === "identifier") return this.#identifier(column, text);
    if (kind === "date") return this.#date(column, text);
    if (kind === "unit") return this.#named(column, text, unitNames);
    if (kind === "request-type") return this.#named(column, text, requestTypeNames);
    return this.#number(column, text);
  }

  /** The cell that marks the current row as a total; null if none does. */
  totalIn(headers: readonly string[]): { column: string; value: string } | null {
    for (const [index, column] of headers.entries()) {
      const value = this.rows.trimmed(index);
      if (isTotal(value) || mayBeTotal(value)) return { column, value };
    }
    return null;
  }

  /**
   * Whether the cells beside this one are those of a total: a required one is blank; or, in a file that requires no
   * other, all are blank or figures.
   */
  #isInTotalRow({ index: own }: Column): boolean {
    const { rows } = this;
    const others = this.#required.filter(({ index }) => index !== own);
    if (others.length > 0) return others.some(({ index }) => rows.trimmed(index) === "");
    for (let index = 0; index < rows.cellCount; index++) {
      if (index !== own && !figures.test(rows.trimmed(index))) return false;
    }
    return rows.cellCount > 1;
  }

  refuse(
    column: Column,
    key: Parameters<ProblemList["add"]>[0],
    details: Parameters<ProblemList["add"]>[2] = {},
  ): null {
    const value = this.rows.cell(column.index);
    this.problems.add(key, { row: this.rows.row, column: column.header, value }, details);
    return null;
  }

  #identifier(column: Column, text: string): CellValue {
    if (this.#isTooLong(column, text, limits.identifierLength)) return null;
    const first = text.charCodeAt(0);
    const last = text.charCodeAt(text.length - 1);
    if (this.rows.isPlain(column.index)) {
      // Most identifiers end with a digit; the closer check of all of them would slow down the whole file.
      const isDigitLast = last >= zero && last <= nine;
      const isUsualFirst = (first >= zero && first <= nine) || (first >= letterA && !text.includes(" "));
      const mayBeMonth = first >= letterA && text.length < 10 && text.includes("-");
      const isNoMonth = !mayBeMonth || (!isMonthAndYear(text) && !text.includes(":"));
      // `Err:502` ends with a digit, too.
      const isNoError = text.charCodeAt(text.length - 4) !== colon;
      if (isDigitLast && isUsualFirst && isNoError && isNoMonth && !text.includes("+") && !mayBeFigure(first, text))
        return text;
    } else {
      const code = invisibleIn(text);
      if (code !== null) return this.refuse(column, "files.cell.invisible", { code });
    }
    if (/[+.,]/.test(text) && scientific.test(text)) return this.refuse(column, "files.cell.scientific");
    const quoted = quotedFormula.exec(text)?.[1]?.trim();
    if (quoted !== undefined) return quoted === "" ? undefined : quoted.replaceAll('""', '"');
    // Spreadsheets keep a number as text with a leading apostrophe; it is not part of the number.
    if (first === apostrophe && /^'\d[^']*$/.test(text)) return text.slice(1);
    if (standsForNothing(text)) return column.field.required ? this.refuse(column, "files.cell.no-value") : undefined;
    const { required } = column.field;
    const trace = traceInIdentifier(text) ?? (required && isWholeDate(text) ? "files.cell.made-a-date" : null);
    if (trace !== null) return this.refuse(column, trace);
    if (mayBeTotal(text) && this.#isInTotalRow(column)) return this.refuse(column, "files.cell.total");
    if (isOnlySigns(text)) return required ? this.refuse(column, "files.cell.no-value") : undefined;
    return text;
  }

  #text(column: Column, text: string): CellValue {
    if (this.#isTooLong(column, text, limits.textLength)) return null;
    const first = text.charCodeAt(0);
    const mayBeTrace = first === equalsSign || first === hash || mayBeNumberedError(text);
    const trace = mayBeTrace ? traceInText(text) : null;
    if (trace === null) return text;
    const quoted = quotedFormula.exec(text)?.[1];
    return quoted === undefined ? this.refuse(column, trace) : quoted.replaceAll('""', '"');
  }

  #isTooLong(column: Column, text: string, usual: number): boolean {
    const limit = column.field.maxLength ?? usual;
    if (text.length <= limit) return false;
    this.refuse(column, "files.cell.length", { detail: String(limit) });
    return true;
  }

  #amount(column: Column): CellValue {
    const digits = this.rows.digits(column.index);
    if (digits > 0 && digits <= limits.integer) return digits;
    const text = this.rows.trimmed(column.index);
    if (text === "") return undefined;
    const number = this.decimals.read(text, this.rows.row);
    if (number === ambiguous) return this.#ambiguousNumber(column, text);
    if (number === null || number <= 0) return this.#noNumber(column, text, "files.cell.amount");
    if (number > limits.integer) return this.refuse(column, "files.cell.at-most", { detail: String(limits.integer) });
    if (this.#isRounded(text)) return this.refuse(column, "files.cell.amount");
    return Number.isInteger(number) ? number : this.#fraction(column, text, number);
  }

  #number(column: Column, text: string): CellValue {
    const number = this.decimals.read(text, this.rows.row);
    if (number === ambiguous) return this.#ambiguousNumber(column, text);
    const isWholeWanted = column.field.kind === "whole-number";
    const expected = isWholeWanted ? "files.cell.whole-number" : "files.cell.number";
    if (number === null) return this.#noNumber(column, text, expected);
    const limit = isWholeWanted ? limits.integer : limits.amount;
    if (Math.abs(number) > limit) return this.refuse(column, "files.cell.at-most", { detail: String(limit) });
    if (isWholeWanted) {
      const isWhole = Number.isInteger(number) && !this.#isRounded(text);
      return isWhole ? number : this.refuse(column, expected);
    }
    const isExact = isMeasure(column.field.name) || !this.#isRounded(text);
    return isExact ? number : this.refuse(column, "files.cell.exact-number");
  }

  /** Whether the number lost digits: an amount must not be rounded silently. Shorter texts are exact. */
  #isRounded(text: string): boolean {
    return text.length > 15 && typeof readExactNumber(text, this.decimals.guess.choice) === "string";
  }

  #noNumber(column: Column, text: string, expected: Parameters<ProblemList["add"]>[0]): null {
    const trace = traceInIdentifier(text);
    if (trace !== null && trace !== "files.cell.total") return this.refuse(column, trace);
    const other = this.decimals.excludedBy(text);
    if (other === null) return this.refuse(column, expected);
    return this.refuse(column, "files.cell.decimal-sign", { otherRow: other.row, otherValue: other.text });
  }

  /**
   * Refuses `1.234` in a file that also has `2.5`: by the file's own rule it is a decimal, but it may be meant as
   * thousands.
   */
  #fraction(column: Column, text: string, number: number): null {
    const { choice, shownBy } = this.decimals.guess;
    const more = readNumber(text, choice === "." ? "," : ".");
    if (more === null || shownBy === undefined) return this.refuse(column, "files.cell.fraction");
    const details = { less: String(number), more: String(more), otherRow: shownBy.row, otherValue: shownBy.text };
    return this.refuse(column, "files.cell.fraction-or-thousands", details);
  }

  /** Reports both meanings, so that a person can write the intended one. */
  #ambiguousNumber(column: Column, text: string): null {
    const readings = [readNumber(text, "."), readNumber(text, ",")].map(Number).toSorted((one, other) => one - other);
    return this.refuse(column, "files.cell.ambiguous-number", { less: String(readings[0]), more: String(readings[1]) });
  }

  #date(column: Column, text: string): CellValue {
    const known = this.#knownDates.get(text);
    if (known !== undefined) return known;
    if (writtenOrder(text) !== "ymd") this.hasOrderedDates = true;
    if (hasHalfDay(text)) this.dates.dropConvention();
    const date = this.dates.read(text, this.rows.row);
    if (date === ambiguous) return this.refuse(column, "files.cell.ambiguous-date");
    if (date === null) return this.#noDate(column, text);
    const year = Number(date.slice(0, 4));
    const isLate = year > lastYear && year !== noYear;
    if (year < firstYear || isLate || (year >= lastShortYear && !text.includes(String(year)))) {
      return this.refuse(column, "files.cell.unlikely-date", { year: String(year) });
    }
    if (this.dates.guess.basis !== "profile" && mayBeginWithYear(text, date)) this.shortYear ??= { text, value: date };
    const settings = this.#settingsFor(text, this.dates.guess.choice);
    if (this.skippedTime === undefined && isSkippedTime(inFigures(text) ?? text, date, settings)) {
      this.skippedTime = { row: this.rows.row, text, value: date };
    }
    if (this.#knownDates.size < maxKnownDates) this.#knownDates.set(text, date);
    return date;
  }

  #settingsFor = (text: string, dateOrder: DateOrder): DateSettings => ({
    ...this.#dateSettings,
    dateOrder: writtenOrder(text) ?? dateOrder,
  });

  #noDate(column: Column, text: string): null {
    const trace = traceInIdentifier(text);
    if (trace !== null) return this.refuse(column, trace);
    const serial = serialDate(text);
    if (serial !== null) return this.refuse(column, "files.cell.serial-date", { date: serial });
    const other = this.dates.excludedBy(text);
    if (other === null) return this.refuse(column, "files.cell.date");
    return this.refuse(column, "files.cell.date-order", { otherRow: other.row, otherValue: other.text });
  }

  #named(column: Column, text: string, names: ReadonlyMap<string, number>): CellValue {
    // Most files contain the number or the folded name itself; folding costs more than the rest of a cell.
    const number = names.get(text) ?? names.get(foldName(text));
    if (number !== undefined) return number;
    const trace = traceInText(text);
    if (trace !== null) return this.refuse(column, trace);
    return this.refuse(column, "files.cell.one-of", { detail: column.field.kind === "unit" ? "unit" : "requestType" });
  }
}

/** A blank cell or one without words. */
const figures = /^[^\p{L}]*$/u;

/** Whether it may be a shortened number or a date. */
const mayBeFigure = (first: number, text: string): boolean =>
  first >= zero && first <= nine && (text.includes(".") || text.includes(",") || text.includes("/"));
