import type { MessageKey } from "../../messages/catalogue.ts";
import { type Message, say } from "../../messages/message.ts";
import type { FileProblem } from "./file-reading.ts";

const maxKept = 100;
const maxValueLength = 60;

export interface ProblemPlace {
  readonly row: number;
  readonly column?: string;
  readonly value?: string;
  /** A value of a JSON file as it stands there, so with quotes if it is a text. */
  readonly literal?: string;
}

/** Counts all problems and keeps the first hundred: a file of nothing but errors must not fill the memory. */
export class ProblemList {
  count = 0;
  readonly #kept: FileProblem[] = [];

  add(key: MessageKey, place: ProblemPlace, details: Message["values"] = {}): void {
    this.count++;
    if (this.#kept.length >= maxKept) return;
    const { row, column = "" } = place;
    const value = shortened(place.value ?? "");
    const literal = shortened(place.literal ?? "");
    const text = say(key, { row, column, value, literal, ...details });
    this.#kept.push({ row, column, value: value || literal, text });
  }

  /** By row: some are found only at the end of an order. */
  sorted(): readonly FileProblem[] {
    return this.#kept.toSorted((one, other) => one.row - other.row);
  }
}

const shortened = (value: string) => (value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value);
