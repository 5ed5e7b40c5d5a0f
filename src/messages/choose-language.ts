import { match } from "@formatjs/intl-localematcher";
import { defaultLanguage, type Language, languages } from "./languages.ts";

/**
 * Browsers send fewer than 100 characters and about five tags. Longer headers are cut, so that none costs much time.
 */
const maxHeaderLength = 500;
const maxTags = 20;
const maxCachedHeaders = 500;
const noMatch = "und";

const chosenByHeader = new Map<string, Language>();

/**
 * Chooses the best of our languages for an Accept-Language header: `de-AT` gives de. If no tag is usable, it is
 * English.
 */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return defaultLanguage;
  const header = acceptLanguage.slice(0, maxHeaderLength);
  const known = chosenByHeader.get(header);
  if (known !== undefined) return known;
  const chosen = choose(header);
  // Senders choose the headers, so without this limit a hostile one could fill the memory.
  if (chosenByHeader.size >= maxCachedHeaders) chosenByHeader.clear();
  chosenByHeader.set(header, chosen);
  return chosen;
}

function choose(header: string): Language {
  const preferences = header
    .split(",", maxTags)
    .map(readPreference)
    .filter((preference) => preference !== null);
  const refused = new Set(
    preferences.filter((preference) => preference.quality === 0).map((preference) => preference.tag.toLowerCase()),
  );
  const wanted = preferences.filter((preference) => preference.quality > 0).sort((a, b) => b.quality - a.quality);
  const offered = languages.filter((language) => !refused.has(language));
  for (const { tag } of wanted) {
    // One tag at a time: with the whole list, the library prefers a close second choice to a regional first one.
    const found = match([tag], offered, noMatch);
    const language = offered.find((candidate) => candidate === found);
    if (language !== undefined) return language;
  }
  return defaultLanguage;
}

function readPreference(part: string): { tag: string; quality: number } | null {
  const [rawTag = "", ...parameters] = part.split(";");
  // Some clients write the locale of their operating system.
  const tag = rawTag.trim().replaceAll("_", "-");
  // The library throws if the text is not a language tag, such as `*`.
  if (!/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i.test(tag) || !isLocale(tag)) return null;
  const weight = parameters.map((parameter) => /^\s*q\s*=\s*([0-9.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean);
  const quality = weight === undefined ? 1 : Number(weight);
  return Number.isFinite(quality) ? { tag, quality: Math.min(quality, 1) } : null;
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
