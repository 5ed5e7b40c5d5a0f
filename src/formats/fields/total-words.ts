import { foldName } from "./enum-names.ts";

/** Words that spreadsheets and people write into a row of totals; nobody calls an item or an order so. */
const totalWords = [
  ...["total", "totals", "grand total", "grand totals", "subtotal", "sub total", "sum", "sum total", "overall"],
  ...["overall total", "total result", "total sum", "final total"],
  ...["Summe", "Gesamt", "Gesamtsumme", "Insgesamt", "Gesamtmenge", "Gesamtanzahl", "Summe gesamt", "Gesamttotal"],
  ...["Ergebnis", "Gesamtergebnis", "Teilergebnis", "Zwischenergebnis", "Endergebnis", "Ges.", "Übertrag"],
  ...["total général", "total global", "total final", "totaux", "sous-total", "somme", "somme totale", "à reporter"],
  ...["totale", "totali", "subtotale", "totale generale", "totale complessivo", "totale finale", "totale parziale"],
  ...["somma", "somma totale", "riporto"],
  ...["total general", "gran total", "totales", "subtotales", "suma", "suma total", "suma parcial", "total parcial"],
  ...["som", "totalen", "totaal generaal", "totaal resultaat", "som totaal"],
  ...["razem", "ogółem", "łącznie", "suma częściowa", "suma końcowa", "suma ogólna", "suma całkowita", "w sumie"],
  ...["suma pośrednia", "sumy", "wynik końcowy", "wynik ogólny", "podsumowanie", "przeniesienie"],
  ...["carried forward", "brought forward", "transport"],
];
const foldedTotals = new Set(totalWords.map(foldName));
/** `Tagessumme`, `Auftragssumme`, `eindtotaal`: one word that is named after what it adds up. */
const totalEnding = /^[\p{L}-]*(?:summe|totaal)$/iu;

/** First words of a total that may be followed by anything: `Summe Auftrag 4711`, `Anzahl Positionen`. */
const firstWords = new Set(
  [
    ...["total", "totals", "subtotal", "sum", "summe", "gesamtsumme", "zwischensumme", "endsumme", "gesamt"],
    ...["ergebnis", "teilergebnis", "übertrag", "anzahl", "somme", "sous-total", "totaux", "totale", "subtotale"],
    ...["totaal", "subtotaal", "razem", "ogółem", "suma"],
  ].map(foldName),
);
/** Last words of a total: `A Ergebnis`, `A Total`. Spreadsheets write them below the rows of a group. */
const lastWords = new Set(
  [
    ...["total", "totals", "subtotal", "sum", "count", "result", "summe", "gesamt", "ergebnis", "teilergebnis"],
    ...["anzahl", "somme", "sous-total", "résultat", "totale", "subtotale", "somma", "conteggio", "risultato"],
    ...["suma", "cuenta", "recuento", "resultado", "totaal", "subtotaal", "som", "aantal", "resultaat"],
    ...["razem", "ogółem", "łącznie", "licznik", "wynik"],
  ].map(foldName),
);

const pageNumber =
  /^(?:seite|page|pagina|página|pag|strona|blad)\.?\s+\d+(?:\s*(?:von|of|sur|de|di|van|z|\/)\s*\d+)?$/iu;

const rowWords =
  "rows?|records?|lines?|datens(?:atz|ätze)|zeilen?|positionen|lignes?|enregistrements?|righe|riga|filas?|registros?|rijen|rij|regels?|wiersz[ey]?|rekord(?:y|ów)?";
/** `(2 rows affected)`, `14 Datensätze`, `*** Ende ***`: what programs write below the last row. */
const closingLine = new RegExp(
  `^\\(?\\d+\\s+(?:${rowWords})(?:\\s+\\p{L}+)?\\.?\\)?$|^[^\\p{L}\\d]*(?:ende|eof|end of (?:file|list|report|data))[^\\p{L}\\d]*$`,
  "iu",
);

/**
 * Whether a cell marks a total, whatever stands beside it: `Total`, `Summe:`, `Total 14`, `Gesamt (3 Positionen)`; the
 * word with only symbols and counts after it.
 */
export function isTotal(text: string): boolean {
  if (text === "Σ" || text === "∑") return true;
  if (text.length < 3 || text.length > 60) return false;
  if (foldedTotals.has(foldName(text)) || pageNumber.test(text) || closingLine.test(text)) return true;
  const [words = "", rest = ""] = splitAtNumber(text);
  if (totalEnding.test(words)) return true;
  return rest !== "" && foldedTotals.has(foldName(words));
}

/**
 * Whether a cell marks a total if its row looks like one: `Summe Auftrag 1`, `A Ergebnis`. A real item may be called
 * `Total Care`, so the text alone does not decide.
 */
export function mayBeTotal(text: string): boolean {
  if (text.length > 60 || !/\s/.test(text)) return false;
  const words = text.split(/[\s:]+/).filter((word) => word !== "");
  const [first = ""] = words;
  const last = words.at(-1) ?? "";
  return words.length > 1 && (firstWords.has(foldName(first)) || lastWords.has(foldName(last)));
}

const splitAtNumber = (text: string): readonly [string, string] => {
  const at = text.search(/[\s:=(]+[\d(=:]|:\s*\S/);
  return at < 0 ? [text.replace(/[\s:=]+$/, ""), ""] : [text.slice(0, at), text.slice(at)];
};
