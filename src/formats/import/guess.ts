/** The basis of a convention: set by a profile, shown by unambiguous cells, usual for such files, or unknown. */
export type Basis = "profile" | "evidence" | "convention" | "none";

/** A cell that decided. */
export interface Evidence {
  readonly row: number;
  readonly text: string;
}

export interface Guess<Choice> {
  readonly choice: Choice;
  readonly basis: Basis;
  /** If the basis is evidence. */
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
  /** The first cell that has a different meaning under the other convention, as it was read. */
  #doubtful: { readonly text: string; readonly value: Value } | null = null;
  /** The convention to start again with. */
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

  /** Whether there are ambiguous cells that nothing in the file explains. */
  get isOpen(): boolean {
    return this.#doubtful !== null && this.#guess.basis === "none";
  }

  /** A cell that was read by convention only and could have another meaning; null if there is none. */
  get byConvention(): { readonly text: string; readonly value: Value } | null {
    return this.#guess.basis === "convention" ? this.#doubtful : null;
  }

  /** Something in the file contradicts the convention, so it decides nothing from now on. */
  dropConvention(): void {
    if (this.#guess.basis !== "convention") return;
    this.#guess = { choice: this.#guess.choice, basis: "none" };
    if (this.#doubtful !== null) this.again = this.#guess;
  }

  /** The cell that excludes a text which the other convention could read; null if neither reads it. */
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
