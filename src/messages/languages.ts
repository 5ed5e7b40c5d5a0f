/** The languages that every operator text has. English comes first, because it is the fallback of the others. */
export const languages = ["en", "de", "fr", "it", "es", "nl", "pl"] as const;
export type Language = (typeof languages)[number];
export const defaultLanguage: Language = "en";

/** One text in all languages, in ICU message syntax. The type makes sure that no language is forgotten. */
export type Texts = Readonly<Record<Language, string>>;
