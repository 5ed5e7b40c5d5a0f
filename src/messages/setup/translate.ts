import { defaultLanguage, type Language, type Texts } from "../languages.ts";
import { fillIn } from "../phrases/fill-in.ts";
import { connectorProblemTexts } from "./connector-problem-texts.ts";
import { descriptionTexts } from "./description-texts.ts";
import { fileProblemTexts } from "./file-problem-texts.ts";
import { hintTexts } from "./hint-texts.ts";
import { optionTexts } from "./options/option-texts.ts";

/** A text and the language that it is in. */
export interface Translated {
  readonly text: string;
  readonly language: Language;
}

interface Pattern {
  readonly texts: Texts;
  readonly form: RegExp;
  readonly names: readonly string[];
}

/** Longer than anything that the checks write. */
const mostCharacters = 4_000;

function patternOf(texts: Texts): Pattern {
  const pieces = texts.en.split(/\{(\w+)\}/);
  const names = pieces.filter((_piece, index) => index % 2 === 1);
  const form = pieces.map((piece, index) => (index % 2 === 1 ? "([^]*?)" : escaped(piece))).join("");
  // Most problems begin with the place in the file.
  return { texts, form: new RegExp(`^((?:[^]*?: )?)${form}$`), names };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

type Patterns = () => readonly Pattern[];

/** Compiled when they are first used: most adapters never show a problem. */
function patternsOf(...tables: readonly (readonly Texts[])[]): Patterns {
  let compiled: readonly Pattern[] | null = null;
  return () => {
    compiled ??= tables.flat().map(patternOf);
    return compiled;
  };
}

const problems = patternsOf(fileProblemTexts, connectorProblemTexts);
const hints = patternsOf(hintTexts);
const descriptions = new Map([...descriptionTexts, ...optionTexts].map((texts) => [texts.en, texts]));

/** What is wrong with a configuration. Rare texts are known in English only. */
export const translateProblem = (text: string, language: Language): Translated => translate(problems, text, language);

/** What to write instead. It may be the description of an option; one that no form shows stays in English. */
export function translateHint(text: string, language: Language): Translated {
  const described = descriptions.get(text);
  return described === undefined ? translate(hints, text, language) : { text: described[language], language };
}

/**
 * What a kind of connector, a preset or an option is for. Tests hold that everything the form of a connection shows is
 * known.
 */
export const translateDescription = (text: string, language: Language): string =>
  descriptions.get(text)?.[language] ?? text;

function translate(patterns: Patterns, text: string, language: Language): Translated {
  const asItIs = { text, language: defaultLanguage };
  if (language === defaultLanguage || text.length > mostCharacters) return asItIs;
  for (const { texts, form, names } of patterns()) {
    const [whole, place = "", ...found] = form.exec(text) ?? [];
    if (whole === undefined) continue;
    const values = Object.fromEntries(names.map((name, index) => [name, found[index] ?? ""]));
    const rest = values["rest"];
    // A sentence may follow another one.
    const more = rest === undefined ? {} : { rest: translate(patterns, rest, language).text };
    return { text: place + fillIn(texts[language], language, { ...values, ...more }), language };
  }
  return asItIs;
}
