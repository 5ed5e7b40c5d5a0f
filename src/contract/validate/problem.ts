/** What a member should have been. It selects the text in the operator's language. */
export type Expectation =
  | "text"
  | "filled-text"
  /** An identifier of blanks only, or with control characters. */
  | "visible-text"
  | "whole-number"
  | "number"
  /** An amount with more digits than a number keeps. */
  | "exact-number"
  | "flag"
  | "date"
  /** A date so early that it stands for "none"; the detail is the first year that is accepted. */
  | "likely-date"
  | "list"
  | "filled-list"
  | "object"
  | "present"
  | "one-of"
  | "at-least"
  | "confirmed-amount"
  | "one-member-of"
  | "image"
  /** Another element with the same key has different content. */
  | "unique"
  /** The body could not be parsed: invalid JSON, nested too deep, a duplicate member. */
  | "json"
  | "utf-8"
  | "depth"
  | "duplicate-member"
  /** Half a surrogate pair: strict readers refuse the whole text. */
  | "lone-surrogate"
  /** Beyond a limit of the contract; the detail is the limit. */
  | "members"
  | "elements"
  | "length"
  | "at-most"
  | "valid";

export interface Problem {
  /** The place, as a person writes it: `requests[0].itemNumber`; empty for the whole body. */
  readonly field: string;
  readonly expected: Expectation;
  /** The allowed values, the minimum or the member names, if the expectation has them. */
  readonly detail?: string;
  /** The value found, shortened. */
  readonly found?: string;
}
