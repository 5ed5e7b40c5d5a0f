import { faultTexts } from "./fault-texts.ts";
import { noteTexts } from "./note-texts.ts";
import { type Phrase, phrase } from "./phrase.ts";
import { type PhraseKey, phraseTexts } from "./phrase-catalogue.ts";
import { refusalTexts } from "./refusal-texts.ts";

/** Parts of other texts. They are not searched alone, because a text of an external system might match them. */
const parts: readonly PhraseKey[] = ["refusal.or", "fault.status", "fault.empty", "fault.hasMember", "fault.isRefusal"];
/** The texts that can be the reason inside a longer text. */
const reasons = [
  ...(["fault.status", "fault.empty", "fault.mediaType", "fault.isRefusal", "fault.unknownResult"] as const),
  ...(["fault.hasMember", "fault.whenNotMet"] as const),
];

interface Pattern {
  readonly key: PhraseKey;
  readonly form: RegExp;
  readonly names: readonly string[];
}

/** Longer than anything the adapter writes about itself. A longer text is not searched. */
const mostCharacters = 2_100;

function patternOf(key: PhraseKey): Pattern {
  const pieces = phraseTexts[key].en.split(/\{(\w+)\}/);
  const names = pieces.filter((_piece, index) => index % 2 === 1);
  const form = pieces.map((piece, index) => (index % 2 === 1 ? "([^]*?)" : escaped(piece))).join("");
  return { key, form: new RegExp(`^${form}$`), names };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// The texts of these files have only phrase keys; Object.keys loses their type.
const keysOf = (texts: object) => Object.keys(texts) as PhraseKey[];
/** The order matters: `{step}: no answer …` must come before `{path}: …`, which would match it too. */
const patterns = [...keysOf(faultTexts), ...keysOf(refusalTexts)].filter((key) => !parts.includes(key)).map(patternOf);
/** What to do about a value, at the end of a note. */
const hints: readonly PhraseKey[] = ["note.correct", "note.decimal", "note.decimalOfText"];
/** Phrases that may stand inside another text, by the name of the value. */
const within: Readonly<Record<string, readonly Pattern[]>> = {
  reason: reasons.map(patternOf),
  hint: hints.map(patternOf),
};
const notePatterns = keysOf(noteTexts)
  .filter((key) => key !== "note.ofField" && !hints.includes(key))
  .map(patternOf);

/**
 * Finds the phrase of a text that the adapter wrote in English. Errors are stored, logged and thrown as texts, because
 * only a reader has a language. Returns null if the adapter did not write the text; then it is shown unchanged.
 */
export function recognise(text: string): Phrase | null {
  return text.length > mostCharacters ? null : found(patterns, text);
}

/** Finds the phrase of a text that a mapping wrote about a value. */
export const recogniseNote = (text: string): Phrase | null =>
  text.length > mostCharacters ? null : found(notePatterns, text);

function found(among: readonly Pattern[], text: string): Phrase | null {
  for (const { key, form, names } of among) {
    const match = form.exec(text);
    if (match === null) continue;
    const values = names.map((name, index) => [name, match[index + 1] ?? ""] as const);
    return phrase(
      key,
      Object.fromEntries(values.map(([name, value]) => [name, found(within[name] ?? [], value) ?? value])),
    );
  }
  return null;
}
