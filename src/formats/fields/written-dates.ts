import { foldName } from "./enum-names.ts";

/** Names and abbreviations of the months in the seven languages. */
const monthNames: readonly string[] = [
  "january januar jänner jan jän janvier janv gennaio gen enero ene januari styczeń stycznia sty",
  "february februar feb feber février févr fév febbraio febrero februari luty lutego lut",
  "march märz mär mrz mar mars marzo maart mrt marzec marca",
  "april apr avril avr aprile abril abr kwiecień kwietnia kwi",
  "may mai maggio mag mayo mei maj maja",
  "june juni jun juin giugno giu junio czerwiec czerwca cze",
  "july juli jul juillet juil luglio lug julio lipiec lipca lip",
  "august aug août aout agosto ago augustus sierpień sierpnia sie",
  "september sep sept septembre settembre set septiembre wrzesień września wrz",
  "october oktober okt oct octobre ottobre ott octubre październik października paź",
  "november nov novembre noviembre listopad listopada lis",
  "december dezember dez dec décembre déc dicembre dic diciembre grudzień grudnia gru",
];
const monthByName = new Map(
  monthNames.flatMap((names, index) => names.split(" ").map((name) => [foldName(name), index + 1] as const)),
);

const weekday = /^\p{L}+\.?,?\s+(?=\d)/u;
const dayFirst =
  /^(\d{1,2})(?:\.|st|nd|rd|th|er|º|°)?[\s/-]*(?:de\s+)?(\p{L}+)\.?,?[\s/-]*(?:de\s+)?(\d{4}|\d\d)(.*)$/u;
const monthFirst = /^(\p{L}+)\.?[\s/-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s/-]+(\d{4})(.*)$/u;
const yearFirst = /^(\d{4})[\s/-]+(\p{L}+)\.?[\s/-]+(\d{1,2})(.*)$/u;

/** A date with the name of its month, such as `31-Jan-2030` or `Jan 31, 2030`, in digits; null if it is not one. */
export function inFigures(text: string): string | null {
  const byMonth = monthFirst.exec(text);
  if (byMonth !== null) return written(byMonth[3], byMonth[1], byMonth[2], byMonth[4]);
  const plain = text.replace(weekday, "");
  const byDay = dayFirst.exec(plain);
  if (byDay !== null) return written(byDay[3], byDay[2], byDay[1], byDay[4]);
  const byYear = yearFirst.exec(plain);
  return byYear === null ? null : written(byYear[1], byYear[2], byYear[3], byYear[4]);
}

function written(year = "", name = "", day = "", rest = ""): string | null {
  const month = monthByName.get(foldName(name));
  if (month === undefined) return null;
  return `${year.length === 2 ? `20${year}` : year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}${rest}`;
}

const serialNumber = /^[2-7]\d{4}(?:[.,]\d+)?$/;
const dayMs = 86_400_000;

/** The date of a spreadsheet's day number, counted from 1900; null if the text is not such a number. */
export function serialDate(text: string): string | null {
  if (!serialNumber.test(text)) return null;
  return new Date(Date.UTC(1899, 11, 30) + Number.parseInt(text, 10) * dayMs).toISOString().slice(0, 10);
}

/** `4:00 PM`: common where the month comes first, so the delimiter no longer shows the order. */
export const hasHalfDay = (text: string): boolean => /\d ?[ap]\.?m\.?\b/i.test(text);
