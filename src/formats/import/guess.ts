/** How we know: set by a profile, shown by cells that allow one reading only, usual for such files, or not at all. */
export type Basis = "profile" | "evidence" | "convention" | "none";

/** A cell that decided. */
export interface Evidence {
  readonly row: number;
  readonly text: string;
}

export interface Guess<Choice> {
  readonly choice: Choice;
  readonly basis: Basis;
  /** Where the basis is evidence. */
  readonly shownBy?: Evidence;
}

export const ambiguous = Symbol("ambiguous");

/**
 * Reads cells that mean different things under two conventions (1,000 or 03/04/2026) and learns from those that
 * can mean only one. From then on the whole file is read that way; where doubtful cells came before, it is read again.
 */
export class TwoWayReader<Choice, Value> {
  #guess: Guess<Choice>;
  readonly #first: Choice;
  readonly #other: Choice;
  readonly #read: (text: string, choice: Choice) => Value | null;
  /** The first cell that means something else under the other convention, as it was read. */
  #doubtful: { readonly text: string; readonly value: Value } | null = null;
  /** What to start again with. */
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

  /** Whether cells were met that nothing in the file explains. */
  get isOpen(): boolean {
    return this.#doubtful !== null && this.#guess.basis === "none";
  }

  /** What was read by convention only, and could be meant otherwise; null where nothing was. */
  get byConvention(): { readonly text: string; readonly value: Value } | null {
    return this.#guess.basis === "convention" ? this.#doubtful : null;
  }

  /** Something in the file speaks against the convention: from now on it decides nothing. */
  dropConvention(): void {
    if (this.#guess.basis !== "convention") return;
    this.#guess = { choice: this.#guess.choice, basis: "none" };
    if (this.#doubtful !== null) this.again = this.#guess;
  }

  /** The cell by which a text is excluded that the other convention could read; null where none reads it. */
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
