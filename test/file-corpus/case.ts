import iconv from "iconv-lite";
import type { FileProfile, FileSettings } from "../../src/formats/import/file-settings.ts";

/** One file as an office sends it, and what has to become of it: the orders that are meant, or a refusal that helps. */
export interface CorpusFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly holds?: "items";
  readonly settings?: Partial<FileSettings> & { readonly profiles?: FileProfile[] };
  /** Records in short: `4711 2030-01-31: A-1 × 5, A-2 × 4`, or `A-1 Name 1.5` for items. */
  readonly read?: readonly string[];
  /** What the operator is told in English beside the records; absent: nothing. */
  readonly note?: RegExp;
  /** The English words of the refusal. */
  readonly refused?: RegExp;
}

export const header = "number;dueDate;itemNumber;requestedAmount";
export const encoded = (text: string, encoding: string): Buffer => iconv.encode(text, encoding);
export const csv = (...rows: string[]): Buffer => Buffer.from([header, ...rows].join("\n"));
/** One order with one line, in which a single cell is odd. */
export const withDate = (date: string): Buffer => csv(`1;${date};A;5`);
export const withAmount = (amount: string): Buffer => csv(`1;2030-01-31;A;${amount}`);
export const withItem = (item: string): Buffer => csv(`1;2030-01-31;${item};5`);
export const withNumber = (number: string): Buffer => csv(`${number};2030-01-31;A;5`);
export const order = (members: string, requests = '[{"itemNumber":"A","requestedAmount":5}]'): string =>
  `{${members},"dueDate":"2030-01-31","requests":${requests}}`;
