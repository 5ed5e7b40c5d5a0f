/** How we know: set by a profile, shown by cells that allow one reading only, usual for such files, or not at all. */
export type Basis = "profile" | "evidence" | "convention" | "none";

export interface Guess<Choice> {
  readonly choice: Choice;
  readonly basis: Basis;
}

export const ambiguous = Symbol("ambiguous");

/**
 * Reads cells that mean different things under two conventions (1,000 or 03/04/2026) and learns from those that
 * can mean only one. What it learns after it read doubtful cells the other way makes the reading start again.
 */
export class TwoWayReader<Choice, Value> {
  #guess: Guess<Choice>;
  readonly #other: Choice;
  readonly #read: (text: string, choice: Choice) => Value | null;
  #hasAmbiguous = false;
  /** What to start again with. */
  again: Guess<Choice> | null = null;

  constructor(guess: Guess<Choice>, other: Choice, read: (text: string, choice: Choice) => Value | null) {
    this.#guess = guess;
    this.#other = other;
    this.#read = read;
  }

  get guess(): Guess<Choice> {
    return this.again ?? this.#guess;
  }

  read(text: string): Value | null | typeof ambiguous {
    const { choice, basis } = this.#guess;
    const value = this.#read(text, choice);
    if (basis === "profile" || basis === "evidence") return value;
    const otherValue = this.#read(text, this.#other);
    if (value === otherValue) return value;
    if (otherValue === null) {
      this.#guess = { choice, basis: "evidence" };
      if (this.#hasAmbiguous) this.again = this.#guess;
      return value;
    }
    if (value === null) {
      this.again = { choice: this.#other, basis: "evidence" };
      return otherValue;
    }
    if (basis === "convention") return value;
    this.#hasAmbiguous = true;
    return ambiguous;
  }
}
