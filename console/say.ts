import { computed, effect, signal } from "@preact/signals";
import { type Language, languages } from "../src/messages/languages.ts";
import { session } from "./session.ts";
import { type ConsoleText, consoleTexts } from "./texts/catalogue.ts";
import { fillIn } from "./texts/fill-in.ts";

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
    // Without a memory the choice holds until the page is closed.
  }
}

const preferred = [remembered("language") ?? "", ...navigator.languages.map((one) => one.slice(0, 2).toLowerCase())];
export const language = signal<Language>(preferred.find(isLanguage) ?? "en");
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

const formats = computed(() => {
  const timeZone = session.value?.timeZone ?? "UTC";
  const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language.value, { timeZone, ...options });
  return {
    day: of({ dateStyle: "medium" }),
    time: of({ timeStyle: "medium" }),
    clock: of({ hour: "2-digit", minute: "2-digit" }),
    date: of({ day: "numeric", month: "short" }),
    both: of({ dateStyle: "short", timeStyle: "medium" }),
    number: new Intl.NumberFormat(language.value, { maximumFractionDigits: 3 }),
  };
});

/** Times in the time zone of the site. */
export const sayDay = (iso: string): string => formats.value.day.format(new Date(iso));
export const sayTime = (iso: string): string => formats.value.time.format(new Date(iso));
export const sayClock = (at: Date): string => formats.value.clock.format(at);
export const sayDate = (at: Date): string => formats.value.date.format(at);
export const sayMoment = (iso: string): string => formats.value.both.format(new Date(iso));
export const sayNumber = (amount: number): string => formats.value.number.format(amount);

/** A length of time in its largest unit: 3 min, 2 h. */
export function sayDuration(ms: number): string {
  const steps = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1_000, "second"],
    [0, "millisecond"],
  ] as const;
  const [size, unit] = steps.find(([least]) => Math.abs(ms) >= least) ?? steps[4];
  const amount = size === 0 ? Math.round(ms) : ms / size;
  const maximumFractionDigits = Math.abs(amount) < 10 && size !== 0 ? 1 : 0;
  return new Intl.NumberFormat(language.value, {
    ...{ style: "unit", unit, unitDisplay: "short", maximumFractionDigits },
  }).format(amount);
}
