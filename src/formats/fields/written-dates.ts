import type { DateOrder } from "../../operation/dates.ts";
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

/** Names and abbreviations of the weekdays in the seven languages, Sunday first. */
const weekdayNames: readonly string[] = [
  "sunday sun sonntag so dimanche dim domenica dom domingo zondag zo niedziela niedz nd",
  "monday mon montag mo lundi lun lunedì lunes maandag ma poniedziałek pon",
  "tuesday tue tues dienstag di mardi mar martedì martes dinsdag wtorek wt",
  "wednesday wed mittwoch mi mercredi mer mercoledì miércoles mié woensdag wo woe środa śr",
  "thursday thu thur thurs donnerstag do jeudi jeu giovedì gio jueves jue donderdag czwartek czw",
  "friday fri freitag fr vendredi ven venerdì viernes vie vrijdag vr vrij piątek pt",
  "saturday sat samstag sa sonnabend samedi sam sabato sab sábado zaterdag za zat sobota sob",
];
const weekdayByName = new Map(
  weekdayNames.flatMap((names, index) => names.split(" ").map((name) => [foldName(name), index] as const)),
);

const weekday = /^(\p{L}+)\.?,?\s+(?=\d)/u;
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
  const byYear = byDay === null ? yearFirst.exec(plain) : null;
  const date =
    byDay !== null
      ? written(byDay[3], byDay[2], byDay[1], byDay[4])
      : byYear && written(byYear[1], byYear[2], byYear[3], byYear[4]);
  return date !== null && isOnThatDay(date, weekday.exec(text)?.[1]) ? date : null;
}

/** A Friday that is a Thursday does not exist: the day or the month is wrong. */
function isOnThatDay(date: string, name: string | undefined): boolean {
  const named = name === undefined ? undefined : weekdayByName.get(foldName(name));
  return named === undefined || new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDay() === named;
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

/**
 * Whether a time has AM or PM, as in `4:00 PM`: common where the month comes first, so the delimiter no longer shows
 * the order.
 */
export const hasHalfDay = (text: string): boolean => /\d ?[ap]\.?m\.?\b/i.test(text);

const shortParts = /^(\d\d)[-/.](\d\d)[-/.](\d\d)(?!\d)/;

/** `30-01-31`, read as 30 January 2031, may be 31 January 2030. */
export function mayBeginWithYear(text: string, date: string): boolean {
  const [, first, month, last] = shortParts.exec(text) ?? [];
  if (first === undefined || date.slice(8, 10) !== first || first === last) return false;
  return Number(month) >= 1 && Number(month) <= 12 && Number(last) >= 1 && Number(last) <= 31;
}

/** The order that the format itself shows: a four-digit year comes first, and with dots the day does. */
export function writtenOrder(text: string): DateOrder | null {
  if (/^\d{4}/.test(text)) return "ymd";
  return /^\d{1,2}\./.test(text) ? "dmy" : null;
}
