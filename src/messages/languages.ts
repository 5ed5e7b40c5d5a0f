/** Languages every operator text exists in. English comes first: it is what the others fall back to. */
export const languages = ["en", "de", "fr", "it", "es", "nl", "pl"] as const;
export type Language = (typeof languages)[number];
export const defaultLanguage: Language = "en";

/** One text in all languages, in ICU message syntax. The type is what keeps a language from being forgotten. */
export type Texts = Readonly<Record<Language, string>>;
