interface Token {
  readonly letters: string;
  readonly pattern: string;
  readonly part: "year" | "month" | "day" | "hour" | "minute" | "second" | "fraction" | "half" | "offset";
}

/** Longest first: `yyyy` is not `yy` twice. */
const tokens: readonly Token[] = [
  { letters: "yyyy", pattern: String.raw`(\d{4})`, part: "year" },
  { letters: "SSS", pattern: String.raw`(\d{1,9})`, part: "fraction" },
  { letters: "XXX", pattern: String.raw`(Z|[+-]\d\d:?\d\d)`, part: "offset" },
  { letters: "yy", pattern: String.raw`(\d\d)`, part: "year" },
  { letters: "MM", pattern: String.raw`(\d\d)`, part: "month" },
  { letters: "dd", pattern: String.raw`(\d\d)`, part: "day" },
  { letters: "HH", pattern: String.raw`(\d\d)`, part: "hour" },
  { letters: "hh", pattern: String.raw`(\d\d)`, part: "hour" },
  { letters: "mm", pattern: String.raw`(\d\d)`, part: "minute" },
  { letters: "ss", pattern: String.raw`(\d\d)`, part: "second" },
  { letters: "M", pattern: String.raw`(\d{1,2})`, part: "month" },
  { letters: "d", pattern: String.raw`(\d{1,2})`, part: "day" },
  { letters: "H", pattern: String.raw`(\d{1,2})`, part: "hour" },
  { letters: "h", pattern: String.raw`(\d{1,2})`, part: "hour" },
  { letters: "a", pattern: "([AaPp])[Mm]", part: "half" },
];

/** Reads a text by a pattern such as `dd.MM.yyyy HH:mm` into ISO 8601, or null where it does not fit. */
export type DateReader = (text: string) => string | null;

/** Null where the pattern has unknown letters, or no year, month and day. Other words stand in single quotes. */
export function datePattern(pattern: string): DateReader | null {
  const parts: Token["part"][] = [];
  let expression = "";
  let at = 0;
  while (at < pattern.length) {
    const quoted = /^'([^']*)'/.exec(pattern.slice(at));
    const token = tokens.find(({ letters }) => pattern.startsWith(letters, at));
    const letter = pattern[at] ?? "";
    if (quoted !== null) expression += escaped(quoted[1] ?? "");
    else if (token !== undefined) expression += token.pattern;
    else if (/\p{L}/u.test(letter)) return null;
    else expression += escaped(letter);
    if (quoted === null && token !== undefined) parts.push(token.part);
    at += quoted?.[0].length ?? token?.letters.length ?? 1;
  }
  const hasDate = (["year", "month", "day"] as const).every((part) => parts.includes(part));
  if (!hasDate || new Set(parts).size < parts.length) return null;
  const whole = new RegExp(`^${expression}$`);
  return (text) => {
    const match = whole.exec(text);
    if (match === null) return null;
    const found = new Map(parts.map((part, index) => [part, match[index + 1] ?? ""]));
    return isoText(found);
  };
}

function isoText(found: ReadonlyMap<Token["part"], string>): string {
  const digits = (part: Token["part"]) => (found.get(part) ?? "0").padStart(2, "0");
  const year = found.get("year") ?? "";
  const date = `${year.length === 2 ? `20${year}` : year}-${digits("month")}-${digits("day")}`;
  if (!found.has("hour")) return date;
  const fraction = found.has("fraction") ? `.${found.get("fraction")}` : "";
  const half = found.has("half") ? ` ${found.get("half")}M` : "";
  return `${date}T${digits("hour")}:${digits("minute")}:${digits("second")}${fraction}${half}${found.get("offset") ?? ""}`;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
