import { type DateOrder, readDateTime } from "../dates.ts";
import type { CsvRows } from "./csv-rows.ts";
import { requestTypeNames, unitNames } from "./enum-names.ts";
import type { FileSettings } from "./file-settings.ts";
import { foldName } from "./fold-name.ts";
import { ambiguous, type Guess, TwoWayReader } from "./guess.ts";
import type { Column } from "./map-columns.ts";
import type { ProblemList } from "./problem-list.ts";
import { type DecimalSign, readNumber } from "./read-number.ts";

/** What a spreadsheet makes of a long number; its last digits are lost for good. */
const scientific = /^[+-]?\d(?:[.,]\d+)?E[+-]\d{2,3}$/i;
/** How spreadsheets are made to keep leading zeros. */
const quotedFormula = /^="(.*)"$/;
const maxKnownDates = 1_000;

/** A blank cell is undefined; a bad one is null, and has been reported. */
export type CellValue = string | number | null | undefined;

/** Reads the cells of the current row as what their column means, and reports those that cannot be that. */
export class CellReader {
  readonly rows: CsvRows;
  readonly problems: ProblemList;
  readonly decimals: TwoWayReader<DecimalSign, number>;
  readonly dates: TwoWayReader<DateOrder, string>;
  readonly #knownDates = new Map<string, string>();
  hasOrderedDates = false;

  constructor(needs: {
    rows: CsvRows;
    problems: ProblemList;
    decimals: Guess<DecimalSign>;
    dates: Guess<DateOrder>;
    settings: FileSettings;
  }) {
    this.rows = needs.rows;
    this.problems = needs.problems;
    this.decimals = new TwoWayReader(needs.decimals, needs.decimals.choice === "." ? "," : ".", readNumber);
    this.dates = new TwoWayReader(needs.dates, needs.dates.choice === "mdy" ? "dmy" : "mdy", (text, dateOrder) =>
      readDateTime(text, { ...needs.settings.dates, dateOrder: writtenOrder(text) ?? dateOrder }),
    );
  }

  /** Whether something was learnt that makes earlier cells mean something else. */
  get mustStartAgain(): boolean {
    return this.decimals.again !== null || this.dates.again !== null;
  }

  read(column: Column): CellValue {
    const { kind } = column.field;
    if (kind === "amount") return this.#amount(column);
    const text = this.rows.trimmed(column.index);
    if (text === "") return undefined;
    if (kind === "text") return text;
    if (kind === "identifier") return this.#identifier(column, text);
    if (kind === "date") return this.#date(column, text);
    if (kind === "unit") return this.#named(column, text, unitNames);
    if (kind === "request-type") return this.#named(column, text, requestTypeNames);
    return this.#number(column, text);
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
    if (text.includes("+") && scientific.test(text)) return this.refuse(column, "files.cell.scientific");
    return text.startsWith("=") ? (quotedFormula.exec(text)?.[1] ?? text) : text;
  }

  #amount(column: Column): CellValue {
    const digits = this.rows.digits(column.index);
    if (digits > 0) return digits;
    const text = this.rows.trimmed(column.index);
    if (text === "") return undefined;
    const number = this.decimals.read(text);
    if (number === ambiguous) return this.#ambiguousNumber(column, text);
    if (number === null || number <= 0 || number > Number.MAX_SAFE_INTEGER) {
      return this.refuse(column, "files.cell.amount");
    }
    return Number.isInteger(number) ? number : this.refuse(column, "files.cell.fraction");
  }

  #number(column: Column, text: string): CellValue {
    const number = this.decimals.read(text);
    if (number === ambiguous) return this.#ambiguousNumber(column, text);
    const isWholeWanted = column.field.kind === "whole-number";
    if (number === null || !Number.isFinite(number)) {
      return this.refuse(column, isWholeWanted ? "files.cell.whole-number" : "files.cell.number");
    }
    if (isWholeWanted && !Number.isSafeInteger(number)) return this.refuse(column, "files.cell.whole-number");
    return number;
  }

  /** Names both meanings: whoever writes the one that is meant has mended the cell. */
  #ambiguousNumber(column: Column, text: string): null {
    const readings = [readNumber(text, "."), readNumber(text, ",")].map(Number).toSorted((one, other) => one - other);
    return this.refuse(column, "files.cell.ambiguous-number", { less: String(readings[0]), more: String(readings[1]) });
  }

  #date(column: Column, text: string): CellValue {
    const known = this.#knownDates.get(text);
    if (known !== undefined) return known;
    if (writtenOrder(text) !== "ymd") this.hasOrderedDates = true;
    const date = this.dates.read(text);
    if (date === ambiguous) return this.refuse(column, "files.cell.ambiguous-date");
    if (date === null) return this.refuse(column, "files.cell.date");
    if (this.#knownDates.size < maxKnownDates) this.#knownDates.set(text, date);
    return date;
  }

  #named(column: Column, text: string, names: ReadonlyMap<string, number>): CellValue {
    // Most files write the number or the folded name itself; folding costs more than all the rest of a cell.
    const number = names.get(text) ?? names.get(foldName(text));
    if (number !== undefined) return number;
    const details = column.field.kind === "unit" ? unitChoices : requestChoices;
    return this.refuse(column, "files.cell.one-of", { detail: details });
  }
}

const unitChoices = "0–13, Piece, Meter, Kilogram, Liter …";
const requestChoices = "0 Ignored, 1 PickItem, 2 PlaceItem";

/** The order that the writing itself shows: years of four digits come first, and with points the day does. */
function writtenOrder(text: string): DateOrder | null {
  if (/^\d{4}/.test(text)) return "ymd";
  return /^\d{1,2}\./.test(text) ? "dmy" : null;
}
