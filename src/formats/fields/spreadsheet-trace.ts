import { isTotal } from "./total-words.ts";

/** A long number in a spreadsheet's scientific notation; its last digits are lost. Some programs leave out the plus. */
export const scientific = /^[+-]?\d(?:(?:[.,]\d+)?E[+-]\d{2,3}|[.,]\d+E\d{1,3})$/i;
/** A formula that makes spreadsheets keep leading zeros. */
export const quotedFormula = /^="(.*)"$/;

/** What a spreadsheet leaves in a cell that is not a value. */
export type SpreadsheetTrace =
  | "files.cell.spreadsheet-error"
  | "files.cell.formula"
  | "files.cell.total"
  | "files.cell.made-a-date";

/** Error values that some programs write without their mark: `#REF`, `#DIV/0`. */
const bareErrors =
  "REF|DIV/0|NULL?|NUM|NAME|VALUE|BEZUG|WERT|ZAHL|VALEUR|NOMBRE|NOM|RIF|VALORE|NOME|VALOR|VERW|WAARDE|GETAL|NAAM|ADR|ARG|LICZBA|NAZWA|DZIEL/0";
/** `#N/A`, `#REF!`, `#BEZUG!`, `#¡VALOR!`, and the `####` of a column that was too narrow. */
const errorValue = new RegExp(
  `^#(?:[\\p{L}¡¿][\\p{L}_/0]*[!?]|N/?[ABDV]|BRAK|SPILL|CALC|FIELD|BUSY|UNKNOWN|BLOCKED|CONNECT|GETTING_DATA|#{2,}|${bareErrors})$`,
  "iu",
);
/** `Err:502`, `Fehler:508`: the errors of LibreOffice have a number of three digits. */
const numberedError = /^(?:err|fehler|erreur|errore|error|fout|błąd)\s?:\s?5\d\d$/iu;

/** Whether a text may be an error with a number; a quick check for the many that are not. */
export const mayBeNumberedError = (text: string): boolean => /[:\s]/.test(text.charAt(text.length - 4));

const errorInIdentifier = (text: string): boolean =>
  text.startsWith("#") ? errorValue.test(text) : mayBeNumberedError(text) && numberedError.test(text);

const functionNames = [
  ...["VLOOKUP", "HLOOKUP", "XLOOKUP", "LOOKUP", "SUM", "SUMIF", "SUBTOTAL", "IF", "IFERROR", "IFNA", "INDEX", "MATCH"],
  ...["CONCAT", "CONCATENATE", "TEXT", "LEFT", "RIGHT", "MID", "TRIM", "INDIRECT", "OFFSET", "VALUE", "ROUND", "TODAY"],
  ...["SVERWEIS", "WVERWEIS", "XVERWEIS", "VERWEIS", "SUMME", "SUMMEWENN", "TEILERGEBNIS", "WENN", "WENNFEHLER"],
  ...[
    "WENNNV",
    "VERGLEICH",
    "VERKETTEN",
    "TEXTKETTE",
    "LINKS",
    "RECHTS",
    "TEIL",
    "GLÄTTEN",
    "INDIREKT",
    "WERT",
    "HEUTE",
  ],
  ...[
    "RECHERCHEV",
    "RECHERCHEH",
    "RECHERCHEX",
    "SOMME",
    "SOUS.TOTAL",
    "SI",
    "SIERREUR",
    "EQUIV",
    "CONCATENER",
    "GAUCHE",
  ],
  ...["CERCA.VERT", "CERCA.ORIZZ", "SOMMA", "SUBTOTALE", "SE", "SE.ERRORE", "CONCATENA", "BUSCARV", "BUSCARH", "SUMA"],
  ...["SUBTOTALES", "SI.ERROR", "COINCIDIR", "VERT.ZOEKEN", "HORIZ.ZOEKEN", "SOM", "SUBTOTAAL", "ALS", "ALS.FOUT"],
  ...[
    "VERGELIJKEN",
    "WYSZUKAJ.PIONOWO",
    "WYSZUKAJ.POZIOMO",
    "SUMY.CZĘŚCIOWE",
    "JEŻELI",
    "JEŻELI.BŁĄD",
    "PODAJ.POZYCJĘ",
  ],
];
const functionCall = new RegExp(
  `^[=+@-]?(?:${functionNames.map((name) => name.replace(".", "\\.")).join("|")})\\(`,
  "iu",
);
/** A text may start with an equals sign; in a formula it is followed by a cell, a number, a bracket or a function. */
const formula = /^=\s*[-+(]*(?:\$?[A-Z]{1,3}\$?\d|\d|'|[\p{L}.]+\(|\[|#)/iu;

const monthWords =
  "jan|feb|mar|mär|mrz|apr|may|mai|maj|mei|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|dic|déc|fév|févr|avr|juin|juil|août|gen|mag|giu|lug|ago|set|ott|ene|abr";
/** `03. Apr`, `4-Mar`, `Mrz 12`: what spreadsheets make of 3-4 and 3/12. */
const madeADate = new RegExp(
  `^(?:\\d{1,2}[. -]{1,2}(?:${monthWords})\\.?|(?:${monthWords})\\.?[ -]\\d{2}(?:\\d{2})?)$`,
  "iu",
);
/** `01.02.2030`, `1/2/2030`: what they make of 1-2-30. With the year first it may well be a number. */
const wholeDate = /^(?:[0-3]?\d\.[01]?\d\.|[0-3]?\d\/[0-3]?\d\/)(?:\d{4}|\d{2})$/;

/** Whether a number of an order or an item was made a date, year included. Lots may really be dates. */
export const isWholeDate = (text: string): boolean => text.length <= 10 && wholeDate.test(text);

/** Whether it may be the second of these forms: three to five letters and a year. */
export const isMonthAndYear = (text: string): boolean =>
  /^\D{3,6}[ -]\d{2}(?:\d{2})?$/.test(text) && madeADate.test(text);

/** The spreadsheet artefact in an identifier; null if it is a valid identifier. */
export function traceInIdentifier(text: string): SpreadsheetTrace | null {
  if (errorInIdentifier(text)) return "files.cell.spreadsheet-error";
  if (text.startsWith("#")) return null;
  if (text.startsWith("=") || functionCall.test(text)) return "files.cell.formula";
  if (madeADate.test(text)) return "files.cell.made-a-date";
  return isTotal(text) ? "files.cell.total" : null;
}

/** What programs write for an empty value. */
const noValues = new Set([
  ...["null", "(null)", "\\n", "nil", "nan", "undefined", "n/a", "n.a.", "k.a.", "k. a.", "[object object]", "none"],
  ...["-", "--", "—", "–", "?", "(leer)", "(blank)", "<na>", "<null>"],
]);
export const standsForNothing = (text: string): boolean => text.length < 16 && noValues.has(text.toLowerCase());

/** `-----`, `***`: lines that programs draw, which are no number. */
export const isOnlySigns = (text: string): boolean => /^[\p{P}\p{S}\s]+$/u.test(text);

/** The same in a text, which may contain “Total” or start with an equals sign. */
export function traceInText(text: string): SpreadsheetTrace | null {
  if (errorInIdentifier(text)) return "files.cell.spreadsheet-error";
  return formula.test(text) ? "files.cell.formula" : null;
}

/**
 * Invisible characters that make two numbers differ: zero-width, direction marks, soft hyphens, controls, spaces that
 * look like the usual one, and characters that are nobody's, or only of one font.
 */
const invisible =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}\u00a0\u2000-\u200a\u202f\u205f\u115f\u1160\u3164\ufffc]/u;

/** The first invisible character, as `U+200B`; null if there is none. */
export function invisibleIn(text: string): string | null {
  const found = invisible.exec(text)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}
