/** How we know: set by a profile, shown by cells that allow one reading only, usual for such files, or not at all. */
export type Basis = "profile" | "evidence" | "convention" | "none";

export interface Guess<Choice> {
  readonly choice: Choice;
  readonly basis: Basis;
}

export const ambiguous = Symbol("ambiguous");

/**
 * Reads cells that mean different things under two conventions (1,000 or 03/04/2026) and learns from those that
 * can mean only one. From then on the whole file is read that way; where doubtful cells came before, it is read again.
 */
export class TwoWayReader<Choice, Value> {
  #guess: Guess<Choice>;
  readonly #other: Choice;
  readonly #read: (text: string, choice: Choice) => Value | null;
  #hasDoubtful = false;
  /** What to start again with. */
  again: Guess<Choice> | null = null;

  constructor(guess: Guess<Choice>, other: Choice, read: (text: string, choice: Choice) => Value | null) {
    this.#guess = guess;
    this.#other = other;
    this.#read = read;
  }

  get guess(): Guess<Choice> {
    return this.#guess;
  }

  /** Whether cells were met that nothing in the file explains. */
  get isOpen(): boolean {
    return this.#hasDoubtful && this.#guess.basis === "none";
  }

  read(text: string): Value | null | typeof ambiguous {
    const { choice, basis } = this.#guess;
    const value = this.#read(text, choice);
    if (basis === "profile" || basis === "evidence") return value;
    const otherValue = this.#read(text, this.#other);
    if (value === otherValue) return value;
    if (value !== null && otherValue !== null) {
      this.#hasDoubtful = true;
      return basis === "convention" ? value : ambiguous;
    }
    const isAsGuessed = value !== null;
    this.#guess = { choice: isAsGuessed ? choice : this.#other, basis: "evidence" };
    if (this.#hasDoubtful && !(isAsGuessed && basis === "convention")) this.again = this.#guess;
    return value ?? otherValue;
  }
}
