import { IntlMessageFormat } from "intl-messageformat";
import { catalogue } from "./catalogue.ts";
import type { Language, Texts } from "./languages.ts";
import type { Message, OperatorText } from "./message.ts";

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];

interface Compiled {
  readonly format: IntlMessageFormat;
  /** The replacement for each value that is missing or empty, by the name of the value. */
  readonly fillers: readonly (readonly [name: string, filler: string])[];
}

/** The case of a text for a value that is missing or empty: `{found, select, _absent {} other {…}}`. */
const absent = "_absent";

// Compiling a text costs a hundred times as much as formatting it. The map is bounded by the catalogue, because all
// keys come from the code.
const compiledTexts = new Map<string, Compiled>();

/**
 * Call it before requests are served: Intl reads its data when it is first used, which takes tens of milliseconds, and
 * the first request that is refused would hold up all others for so long.
 */
export function prepareTexts(): void {
  compileText("{count, plural, other {#}}", "en").format.format({ count: 1 });
}

/** Returns a text in the reader's language. A string is the external system's own text and is returned unchanged. */
export function localise(text: OperatorText, language: Language): string {
  if (typeof text === "string") return text;
  const { format, fillers } = compiled(text.key, language);
  const values: Record<string, string | number> = { ...text.values };
  // The library throws if a value is missing. A gap in a sentence is better than an answer that fails.
  for (const [name, filler] of fillers) if ((values[name] ?? "") === "") values[name] = filler;
  return String(format.format(values));
}

function compiled(key: Message["key"], language: Language): Compiled {
  const name = `${language} ${key}`;
  let result = compiledTexts.get(name);
  if (result === undefined) {
    result = compileText(pattern(key, language), language);
    compiledTexts.set(name, result);
  }
  return result;
}

// A message in the journal may have a key that later versions no longer have.
const pattern = (key: string, language: Language): string =>
  (catalogue as Record<string, Texts | undefined>)[key]?.[language] ?? key;

export function compileText(text: string, language: Language): Compiled {
  const format = new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
  return { format, fillers: [...argumentsOf(format.getAst())] };
}

function argumentsOf(elements: readonly Element[], found = new Map<string, string>()): Map<string, string> {
  for (const element of elements) {
    if (!("value" in element) || !("type" in element)) continue;
    const isChoice = "options" in element;
    if (isChoice) {
      found.set(element.value, "pluralType" in element ? "" : absent);
      for (const option of Object.values(element.options)) argumentsOf(option.value, found);
    } else if (element.type !== 0 && !found.has(element.value)) {
      found.set(element.value, "");
    }
  }
  return found;
}
