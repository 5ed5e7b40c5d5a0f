import type { DateSettings } from "../../sdk/dates.ts";
import type { Dialect } from "./statement/dialect.ts";

/** One mistake in the options that their schema cannot see. */
export interface OptionProblem {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** What every part of the options is compiled with; mistakes are collected, so that all are told at once. */
export interface Compiling {
  readonly dialect: Dialect;
  readonly dates: DateSettings;
  readonly problems: OptionProblem[];
}
