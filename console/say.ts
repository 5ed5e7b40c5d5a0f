import { computed, effect, signal } from "@preact/signals";
import { defaultLanguage, type Language, languages } from "../src/messages/languages.ts";
import { fillIn } from "../src/messages/phrases/fill-in.ts";
import { mapPhrase, type Phrase, phrase, phraseOr, sayPhrase } from "../src/messages/phrases/phrase.ts";
import { recognise } from "../src/messages/phrases/recognise.ts";
import { addLanguage } from "./languages/add-language.ts";
import { session } from "./session.ts";
import { type ConsoleText, consoleTexts } from "./texts/catalogue.ts";

const isLanguage = (text: string): text is Language => languages.some((known) => known === text);
const remembered = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Without local storage, the choice is kept until the page is closed.
  }
}

const preferred = [remembered("language") ?? "", ...navigator.languages.map((one) => one.slice(0, 2).toLowerCase())];
/** The language of the page. Others than English are loaded first: `speak`. */
export const language = signal<Language>(defaultLanguage);

let asked: Language = defaultLanguage;
/** Says everything in another language, as soon as its texts are there. If they cannot be loaded, nothing changes. */
export async function speak(chosen: Language): Promise<void> {
  asked = chosen;
  await addLanguage(chosen).then(
    () => {
      // Over a slow link, another one may have been chosen meanwhile.
      if (asked === chosen) language.value = chosen;
    },
    () => {},
  );
}
export const speakPreferred = (): Promise<void> => speak(preferred.find(isLanguage) ?? defaultLanguage);

export const theme = signal<"auto" | "light" | "dark">(themeOf(remembered("theme")));

function themeOf(text: string | null): "auto" | "light" | "dark" {
  return text === "light" || text === "dark" ? text : "auto";
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = signal<"light" | "dark">(prefersDark.matches ? "dark" : "light");
prefersDark.addEventListener("change", ({ matches }) => {
  systemTheme.value = matches ? "dark" : "light";
});

effect(() => {
  document.documentElement.lang = language.value;
  document.documentElement.dataset["theme"] = theme.value === "auto" ? systemTheme.value : theme.value;
});

/** A text of the catalogue in the reader's language. */
export function say(key: ConsoleText, values: Readonly<Record<string, string | number>> = {}): string {
  return fillIn(consoleTexts[key][language.value], language.value, values);
}

/**
 * A sentence of the adapter in the reader's language. Without a phrase it is another system's text and stays unchanged.
 */
export const sayEvent = ({ text, phrase: known }: { readonly text: string; readonly phrase: Phrase | null }): string =>
  known === null ? text : cutText(sayKnown(known));

/** Only the phrase, in the reader's language. */
export const sayKnown = (known: Phrase): string =>
  sayPhrase(mapPhrase(inPlainWords(known), localTime), language.value, sayNumber);

/** Some sentences are also for tools, and name states and events by their codes. Here they are for people. */
function inPlainWords({ key, values }: Phrase): Phrase {
  const { topic, state } = values;
  if (key === "timeline.held" && typeof topic === "string") {
    return phrase(key, { ...values, topic: sayTopic(topic) });
  }
  if (key !== "refusal.race" || typeof state !== "string") return phrase(key, values);
  const name = `entry.${state}`;
  return phrase("plain", { text: say("act.tooLate", { state: isConsoleText(name) ? say(name) : state }) });
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Writes times in the time zone of the site: beside the other times of a page, UTC would be misread. */
const localTime = (text: string): string => (instant.test(text) ? sayMoment(text) : text);

/**
 * An error as it was stored or thrown. If the adapter wrote it, it is in the reader's language; otherwise it stays
 * unchanged.
 */
export function sayText(text: string): string {
  const known = recognise(text);
  return known === null ? text : sayPhrase(inPlainWords(known), language.value);
}

/** The kind of an alarm in words. A kind of a later version is shown by its name. */
export function sayAlarm(kind: string): string {
  const key = `alarm.${kind}`;
  return isConsoleText(key) ? say(key) : kind;
}
const isConsoleText = (key: string): key is ConsoleText => Object.hasOwn(consoleTexts, key);

/** What kind of record something is; one of a later version by its name. */
export function sayTopic(name: string): string {
  const key = `topic.${name}`;
  return isConsoleText(key) ? say(key) : name;
}

/** What a connector can answer for, in words; one of a later version by its name. */
export function sayCapability(name: string): string {
  const key = `capability.${name}`;
  return isConsoleText(key) ? say(key) : name;
}

/** A unit of measure as it is written on a label; one that the contract does not know by its name. */
export function sayUnit(name: string): string {
  const key = `unit.${name}`;
  return isConsoleText(key) ? say(key) : name;
}

/** A word that the journal uses, such as `dead` or `refused`. */
export function sayCode(kind: "state" | "reason" | "action" | "change", code: string): string {
  const known = phraseOr(`${kind}.${code}`, code);
  return typeof known === "string" ? sayText(code) : sayPhrase(known, language.value);
}

/** Longer texts are cut: a cart may move hundreds of containers at once. */
const longest = 400;
const cutText = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** The reader's own form of the chosen language: in Britain, English has 24 hours and the day before the month. */
const region = computed(
  () => navigator.languages.find((one) => one.startsWith(`${language.value}-`)) ?? language.value,
);

const formats = computed(() => {
  const timeZone = session.value?.timeZone ?? "UTC";
  const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(region.value, { timeZone, ...options });
  return {
    day: of({ dateStyle: "medium" }),
    time: of({ timeStyle: "medium" }),
    clock: of({ hour: "2-digit", minute: "2-digit" }),
    date: of({ day: "numeric", month: "short" }),
    // The month as a word where the language has it so: 3/1/26 is two different days on the two sides of the Atlantic.
    both: of({ dateStyle: "medium", timeStyle: "medium" }),
    due: of({ dateStyle: "medium", timeStyle: "short" }),
    number: new Intl.NumberFormat(region.value, { maximumFractionDigits: 3 }),
  };
});

/** Times are written in the time zone of the site. */
export const sayDay = (iso: string): string => formats.value.day.format(new Date(iso));
export const sayTime = (iso: string): string => formats.value.time.format(new Date(iso));
export const sayClock = (at: Date): string => formats.value.clock.format(at);
export const sayDate = (at: Date): string => formats.value.date.format(at);
export const sayMoment = (iso: string): string => formats.value.both.format(new Date(iso));
/** For times that people set. They do so by the minute. */
export const sayDue = (iso: string): string => formats.value.due.format(new Date(iso));
export const sayNumber = (amount: number): string => formats.value.number.format(amount);

const steps = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
  [0, "millisecond"],
] as const;
/** Keeps a number and its unit on one line. */
const joined = (text: string): string => text.replaceAll(" ", "\u00a0");

/** A duration in its largest unit: 3 min, 2 h. */
export function sayDuration(ms: number): string {
  const [size, unit] = steps.find(([least]) => Math.abs(ms) >= least) ?? steps[4];
  const amount = size === 0 ? Math.round(ms) : ms / size;
  const maximumFractionDigits = Math.abs(amount) < 10 && size !== 0 ? 1 : 0;
  const written = new Intl.NumberFormat(language.value, {
    ...{ style: "unit", unit, unitDisplay: "short", maximumFractionDigits },
  });
  return joined(written.format(amount));
}

/** How long ago, in whole units: 3 min ago. */
export function sayAgo(ms: number): string {
  const [size, unit] = steps.slice(0, 4).find(([least]) => ms >= least) ?? steps[3];
  const written = new Intl.RelativeTimeFormat(language.value, { style: "short" });
  return written.format(-Math.floor(ms / (size || 1)), unit === "millisecond" ? "second" : unit);
}
