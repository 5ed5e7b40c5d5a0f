import type { DateSettings } from "../dates.ts";
import type { LaterRule } from "./later-rule.ts";
import type { RuleProblem } from "./mapping-error.ts";
import type { Read } from "./run.ts";
import type { SourceShape } from "./source-shape.ts";

/** What one compilation carries along. */
export interface Compiling {
  readonly dates: DateSettings;
  readonly problems: RuleProblem[];
  /** Field with empty brackets → the source field for a person. */
  readonly sources: Map<string, string>;
  /** Whether members that the contract requires may be left to somebody else. */
  readonly isPartial: boolean;
  /** So far. */
  expressionCount: number;
}

/** Where a rule stands: in the result, in the mapping, and in lists. */
export interface Place {
  /** `requests[].requestedAmount`. */
  readonly field: string;
  /** `requests.map.requestedAmount`. */
  readonly path: string;
  /** The source path of every list around, from the outermost; the whole record is the empty one. */
  readonly bases: readonly string[];
  /** What is known of the records of these lists, in the same order. */
  readonly shapes: readonly SourceShape[];
}

/** A rule, ready to run: at once, or later where an expression has to be evaluated. */
export type Rule = { readonly read: Read } | { readonly later: LaterRule };

export const inside = (place: Place, key: string): Place => ({ ...place, path: joined(place.path, key) });
export const member = (place: Place, name: string): Place => ({
  ...inside(place, name),
  field: joined(place.field, name),
});

export const joined = (before: string, name: string): string => (before === "" ? name : `${before}.${name}`);
