import type { Expectation } from "../../contract/validate/problem.ts";
import { type Phrase, type PhraseValue, phrase, sayPhrase } from "../../messages/phrases/phrase.ts";
import type { PhraseKey } from "../../messages/phrases/phrase-catalogue.ts";
import { recogniseNote } from "../../messages/phrases/recognise.ts";
import type { QuarantineProblem } from "./quarantine.ts";

/** The field to look at: the external system's own name for it, if known. */
function place({ field, sourceField }: QuarantineProblem): PhraseValue {
  if (sourceField !== undefined) return phrase("fix.where", { source: sourceField, field });
  return field || phrase("fix.theRecord");
}

/**
 * What the person who maintains the mapping should do next. The type `Record` makes sure that no expectation is
 * forgotten.
 */
const advice: Record<Expectation, PhraseKey> = {
  ...{ present: "fix.missing", "filled-text": "fix.missing", "filled-list": "fix.filledList" },
  ...{ "whole-number": "fix.wholeNumber", "at-least": "fix.atLeast", "confirmed-amount": "fix.confirmedAmount" },
  ...{ "at-most": "fix.atMost", length: "fix.length", elements: "fix.elements", "lone-surrogate": "fix.loneSurrogate" },
  ...{
    "exact-number": "fix.exactNumber",
    number: "fix.number",
    date: "fix.date",
    "one-of": "fix.oneOf",
    unique: "fix.unique",
    image: "fix.image",
  },
  ...{ "one-member-of": "fix.oneMemberOf", text: "fix.text", flag: "fix.flag" },
  ...{ "visible-text": "fix.visibleText", "likely-date": "fix.likelyDate" },
  ...{ list: "fix.shape", object: "fix.shape", valid: "fix.shape" },
  ...{ json: "fix.unreadable", "utf-8": "fix.unreadable", depth: "fix.unreadable", members: "fix.unreadable" },
  "duplicate-member": "fix.unreadable",
};
/** Passed as a value, because braces within a text would name a value. */
const example = '{ decimal: "," }';

const maxNamed = 3;

/** The first few pieces of advice; the same mistake on ten lines is listed once. */
export function suggestedFix(problems: readonly QuarantineProblem[]): Phrase {
  const fixes = new Map<string, Phrase>();
  const listed = new Set<string>();
  for (const problem of problems) {
    // Lines differ only by their number.
    const field = problem.field.replace(/\[\d+\]/g, "[…]");
    if (listed.has(`${problem.expected} ${field}`)) continue;
    listed.add(`${problem.expected} ${field}`);
    const where = place({ ...problem, field });
    // A message of the mapping is more specific, so it comes first.
    const fix =
      problem.mappingNote === undefined
        ? phrase(advice[problem.expected], { where, detail: String(problem.detail ?? ""), example })
        : phrase("fix.note", { where, note: recogniseNote(problem.mappingNote) ?? problem.mappingNote });
    fixes.set(sayPhrase(fix), fix);
  }
  const all = [...fixes.values()];
  const more = all.length - maxNamed;
  const shown = more > 0 ? [...all.slice(0, maxNamed), phrase("fix.more", { count: more })] : all;
  return phrase("list", { parts: { list: shown, joinedBy: " " } });
}
