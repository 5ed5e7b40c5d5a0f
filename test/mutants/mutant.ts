import type { Group } from "../../src/tools/conformance/conformance-check.ts";
import type { Change } from "./right-adapter.ts";

/** An adapter that is wrong on purpose: a kit that does not notice it proves nothing. */
export interface Mutant {
  /** What it does, as a sentence without its subject. */
  readonly name: string;
  /** The check that has to notice it. */
  readonly by: string;
  /** The group of checks whose calls show it, where that is not the group of the check. */
  readonly seenIn?: Group;
  /** Noticed only where events are sent. */
  readonly isFull?: true;
  readonly change: Change;
}

/** Changes the members of an envelope or another object. */
export const members = (value: unknown, changes: object): object => ({ ...Object(value), ...changes });

export const without = (value: unknown, name: string): object =>
  Object.fromEntries(Object.entries(Object(value)).filter(([one]) => one !== name));
