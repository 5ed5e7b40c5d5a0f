import { noShares, readShares, type Shares } from "../calls/read-shares.ts";

/** What the external system changes its mind about, by the name it has on the command line. */
export const words = {
  "cancel-order": "the whole order is cancelled",
  "cancel-line": "a line is cancelled",
  "reduce-line": "a line is lowered, by a cancellation or by the order pushed again",
  "raise-line": "a line is raised",
  "add-line": "a line is added",
  "push-again": "the order is pushed again as it is",
  "take-back": "a line or the order is cancelled, and wanted again some time later",
  twice: "two changes follow each other with nothing between them",
} as const;
export type WordName = keyof typeof words;

/** What the platform is free to do with an order that changes. */
export const freedoms = {
  "early-fetch": "the platform works on what it fetched before the shift, and not on what a scan shows",
  "fetch-again": "the platform fetches an order again while it runs; all its lines get new request ids",
  "ignore-offer": "the platform applies nothing that is offered for this order",
  "late-offer": "the platform applies what is offered some steps later",
  "short-pick": "a shelf holds less than is wanted; the rest of the line is given up",
  "several-carts": "a second cart goes for the order, and takes what was added while the first is on its way",
} as const;
type FreedomName = keyof typeof freedoms;

export type ChangeName = WordName | FreedomName;
// Object.keys forgets which keys its object has.
export const wordNames = Object.keys(words) as WordName[];
// The same.
export const changeNames = [...wordNames, ...(Object.keys(freedoms) as FreedomName[])] as const;

/** Each as a share of the orders. */
export type ChangeRates = Shares<ChangeName>;

/** Reads `5%`, which means each of them, or `raise-line=5%,fetch-again=2%`. */
export function readChangeRates(text: string): { readonly rates: ChangeRates } | { readonly problem: string } {
  const wishes = { names: changeNames, what: "change", example: "raise-line=5%" };
  const read = readShares(/^\s*\d[\d.]*\s*%\s*$/.test(text) ? `all=${text}` : text, wishes);
  return "problem" in read ? read : { rates: read.shares };
}

export const noChanges: ChangeRates = noShares(changeNames);
