import { defaultLanguage, type Language } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { translateDescription, translateHint, translateProblem } from "../../messages/setup/translate.ts";
import type { Connectable, FoundProblem, ShownProblem } from "./config-editor.ts";

/** An answer of the config editor in the language of its reader: problems, and what can be connected. */
export function inLanguage(answer: object, language: Language): object {
  // The editor answers without a language. If these members are there, they have these types.
  const { problems, presets } = answer as { problems?: readonly FoundProblem[] } & Partial<Connectable>;
  if (Array.isArray(problems)) return { ...answer, problems: problems.map((one) => shownProblem(one, language)) };
  // Only what can be connected has presets.
  return presets === undefined ? answer : connectableIn(answer as Connectable, language);
}

function shownProblem({ message, text, hint, ...place }: FoundProblem, language: Language): ShownProblem {
  const shown =
    message === undefined ? translateProblem(text, language) : { text: localise(message, language), language };
  const wanted = hint === undefined ? undefined : translateHint(hint, language);
  return {
    ...place,
    text: shown.text,
    ...(shown.language === "en" ? {} : { language: shown.language }),
    ...(wanted === undefined ? {} : { hint: wanted.text }),
    ...(wanted === undefined || wanted.language === "en" ? {} : { hintLanguage: wanted.language }),
  };
}

function connectableIn(found: Connectable, language: Language): Connectable {
  if (language === defaultLanguage) return found;
  const translated = (text: string) => translateDescription(text, language);
  return {
    ...found,
    kinds: found.kinds.map(({ type, summary, options }) => ({
      ...{ type, summary: translated(summary) },
      // A schema stays one when its descriptions are translated.
      options: withDescriptions(options, translated) as object,
    })),
    presets: found.presets.map((preset) => ({
      ...preset,
      ...{ title: translated(preset.title), summary: translated(preset.summary) },
      queries: preset.queries.map((query) =>
        "description" in query ? { ...query, description: translated(String(query.description)) } : query,
      ),
    })),
  };
}

/** The schema of some options, with its descriptions in another language. */
function withDescriptions(schema: unknown, translated: (text: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withDescriptions(one, translated));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      // An option may have this name too; then it is a schema.
      name === "description" && typeof value === "string" ? translated(value) : withDescriptions(value, translated),
    ]),
  );
}
