import type { Language } from "../../src/messages/languages.ts";

const plural = /\{(\w+), plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g;
const form = /(\w+) \{([^{}]*)\}/g;

/**
 * Fills values into a text. Of the ICU syntax of the operator texts it knows names and plurals, which is all the console
 * needs: the library for the rest is larger than a page of the console.
 */
export function fillIn(text: string, language: Language, values: Readonly<Record<string, string | number>>): string {
  const chosen = text.replace(plural, (_whole, name: string, forms: string) => {
    const byRule = new Map([...forms.matchAll(form)].map(([, rule = "", said = ""]) => [rule, said]));
    const rule = new Intl.PluralRules(language).select(countOf(values[name]));
    // The value is filled in below, with the others.
    return (byRule.get(rule) ?? byRule.get("other") ?? "").replaceAll("#", `{${name}}`);
  });
  return chosen.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ""));
}

/** A number with separators is a thousand or more. */
const countOf = (value: string | number = 0): number => (Number.isNaN(Number(value)) ? 1_000 : Number(value));
