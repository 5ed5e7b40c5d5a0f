import type { Message } from "../../messages/message.ts";
import type { DateOrder } from "../dates.ts";
import type { Encoding } from "./encoding.ts";
import type { Basis } from "./guess.ts";
import type { DecimalSign } from "./read-number.ts";

/** One thing that is wrong, and where. All plain data: readings cross threads. */
export interface FileProblem {
  /** Row of the file, or number of the JSON element; counted from 1. */
  readonly row: number;
  /** Header of the column, or path of the field. Empty for the whole row. */
  readonly column: string;
  /** What stands there, shortened. */
  readonly value: string;
  /** All of it in words, with what is expected. */
  readonly text: Message;
}

export interface DetectedColumn {
  readonly header: string;
  /** The contract's field; null where the column is not used. */
  readonly field: string | null;
}

/** What we took the file for. */
export interface Detected {
  readonly kind: "csv" | "json";
  readonly encoding: Encoding;
  /** Name of the profile that was recognised by its header row. */
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

/** What was understood in one of several ways, or not used at all. */
export interface FileNotes {
  /** Rows that `where` left out. */
  readonly leftOut: number;
  readonly unusedColumns: readonly string[];
  /** A date that was read with the day first because such files usually mean that. */
  readonly dateByConvention: { readonly text: string; readonly value: string } | null;
}

interface FileRecords<Item> {
  readonly ok: true;
  readonly records: readonly Item[];
  readonly detected: Detected;
  /** What a partial reading left out. */
  readonly withheld: Withheld | null;
  /** Of a CSV file. */
  readonly notes?: FileNotes;
}

export interface FileRefusal {
  readonly ok: false;
  readonly result: "InvalidInput" | "FileNotSupported";
  readonly message: Message;
  /** The first hundred. */
  readonly problems: readonly FileProblem[];
  readonly problemCount: number;
  readonly detected: Detected | null;
  /** The columns of a CSV file that was not read because of its header. */
  readonly columns?: readonly DetectedColumn[];
}

export type FileReading<Item> = FileRecords<Item> | FileRefusal;
