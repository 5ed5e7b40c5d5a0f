import type { Language } from "../languages.ts";

const plural = /\{(\w+), plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g;
const form = /(\w+) \{([^{}]*)\}/g;

/**
 * Fills values into a text. It supports only names and plurals of the ICU syntax, which is all the console needs: the
 * library for the rest is larger than a page of the console.
 */
export function fillIn(text: string, language: Language, values: Readonly<Record<string, string | number>>): string {
  const chosen = text.replace(plural, (_whole, name: string, forms: string) => {
    const byRule = new Map([...forms.matchAll(form)].map(([, rule = "", wording = ""]) => [rule, wording]));
    const rule = new Intl.PluralRules(language).select(countOf(values[name]));
    // The value itself is filled in below, with the others.
    return (byRule.get(rule) ?? byRule.get("other") ?? "").replaceAll("#", `{${name}}`);
  });
  return chosen.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ""));
}

/** A text that is not a number is a whole one with separators. Its digits decide: 1,200 and 1,202 have other forms in Polish. */
const countOf = (value: string | number = 0): number =>
  Number.isNaN(Number(value)) ? Number(String(value).replace(/\D/g, "")) : Number(value);
