import { type CorpusFile, csv, header, withItem, withNumber } from "./case.ts";

const one = ["1 2030-01-31: A × 5"];
const errorValues = [
  "#N/A",
  "#NV",
  "#REF!",
  "#BEZUG!",
  "#NAME?",
  "#VALUE!",
  "#WERT!",
  "#DIV/0!",
  "#N/D",
  "#¡REF!",
  "#####",
  ...["#REF", "#DIV/0", "#BEZUG", "Err:502", "Fehler:508", "Err: 511"],
];
const formulas = ["=1+1", "=A2", "=SVERWEIS(A2;B:C;2;0)", "SVERWEIS(A2;B:C;2;0)", "VLOOKUP(A2;B:C;2;0)", '="A"&B2'];
const totals = [
  "Total",
  "TOTAL:",
  "Summe",
  "Gesamtsumme",
  "Zwischensumme",
  "Sous-total",
  "Totale",
  "Totaal",
  "Razem",
  "Total 14",
  ...["Gesamtergebnis", "Teilergebnis", "Tagessumme", "Auftragssumme", "Kontrollsumme:", "Grand Total", "Total Result"],
  ...["Total général", "Total general", "Gran total", "Totale complessivo", "Dagtotaal", "Eindtotaal", "Suma końcowa"],
];
/** What spreadsheets write below the rows of a group. */
const groupTotals = [
  ...["A Ergebnis", "A Total", "A Summe", "A Gesamt", "A Result", "Total A", "A Totale", "Totaal A", "A Suma"],
  ...["A Razem", "Somme A", "A Anzahl", "A-1 Count"],
];
const quoted = (text: string) => (/[;"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const spreadsheetFiles: readonly CorpusFile[] = [
  ...errorValues.map((text) => ({
    name: `an item ${text}`,
    bytes: withItem(text),
    refused: /an error of the spreadsheet/,
  })),
  ...formulas.map((text) => ({
    ...{ name: `an item ${text}`, bytes: withItem(quoted(text)), refused: /a formula and not its result/ },
  })),
  ...totals.map((text) => ({
    name: `a row ;;${text};14 below the lines`,
    bytes: csv("1;2030-01-31;A;5", "1;;B;9", `;;${text};14`),
    refused: /Row 4, column "itemNumber".*looks like a total/,
  })),
  ...totals.map((text) => ({
    name: `an item ${text} in a full row`,
    bytes: withItem(text),
    refused: /column "itemNumber".*looks like a total/,
  })),
  ...groupTotals.map((text) => ({
    name: `a row ;;${text};14 below a group`,
    bytes: csv("1;2030-01-31;A;5", "1;;A;9", `;;${text};14`),
    refused: /Row 4, column "itemNumber".*looks like a total/,
  })),
  ...groupTotals.map((text) => ({
    name: `a row ${text};;;14 below a group`,
    bytes: csv("A;2030-01-31;A;5", "A;;A;9", `${text};;;14`),
    refused: /Row 4, column "number".*looks like a total/,
  })),
  ...["A Ergebnis", "Gesamtergebnis"].map((text) => ({
    name: `an item ${text} with a sum of weights`,
    bytes: Buffer.from(`number;name;weight\nA;Screw;1\n${text};;1`),
    holds: "items" as const,
    refused: /Row 3, column "number".*looks like a total/,
  })),
  ...["Total Care", "Colgate Total", "Messergebnis", "Summer", "Sum-41", "Totalisator"].map((text) => ({
    name: `an item ${text} in a full row`,
    bytes: withItem(text),
    read: [`1 2030-01-31: ${text} × 5`],
  })),
  {
    name: "an item Total Care without a lot",
    bytes: Buffer.from(`${header};lotNumber\n1;2030-01-31;Total Care;5;`),
    read: ["1 2030-01-31: Total Care × 5"],
  },
  {
    name: "an item Total Care below its order, written as text",
    bytes: csv("1;2030-01-31;A;5", ';;"=""Total Care""";9'),
    read: ["1 2030-01-31: A × 5, Total Care × 9"],
  },
  {
    name: "an item Total Care with its name",
    bytes: Buffer.from("number;name;weight\nTotal Care;Cream;1"),
    holds: "items",
    read: ["Total Care 1"],
  },
  {
    name: "a row ;;;14 below the lines, a total without a word",
    bytes: csv("1;2030-01-31;A;5", "1;;B;9", ";;;14"),
    refused: /Row 4, column "itemNumber": fill in this cell/,
  },
  ...["Summe Auftrag 1", "Anzahl Positionen", "Ges.", "Σ", "Übertrag", "Seite 1 von 2"].map((text) => ({
    name: `a footer ;;${text};1`,
    bytes: csv("1;2030-01-31;A;5", `;;${text};1`),
    refused: /Row 3.*a total or a footer/,
  })),
  ...["(2 rows affected)", "14 Datensätze", "*** Ende ***", "EOF"].map((text) => ({
    name: `a closing line ;;${text};1`,
    bytes: csv("1;2030-01-31;A;5", `;;${text};1`),
    refused: /Row 3.*a total or a footer/,
  })),
  ...["-----", "***", "___", "#"].map((text) => ({
    ...{ name: `an item ${text}`, bytes: withItem(text), refused: /stands for “no value”/ },
  })),
  ...["01.02.2030", "1/2/2030", "1.2.30"].map((text) => ({
    ...{ name: `an item ${text}`, bytes: withItem(text), refused: /has made a date of this number/ },
  })),
  {
    name: "a lot that is a date",
    bytes: Buffer.from(`${header};lotNumber\n1;2030-01-31;A;5;01.02.2030`),
    read: one,
  },
  {
    name: "an item like a date of another order",
    bytes: withItem("2030-02-01"),
    read: ["1 2030-01-31: 2030-02-01 × 5"],
  },
  { name: "an item shortened without a plus", bytes: withItem("4,00638E12"), refused: /shortened this number/ },
  { name: "an item like a version", bytes: withItem("1.234.567"), read: ["1 2030-01-31: 1.234.567 × 5"] },
  ...["NULL", "n/a", "NaN", "nil", "-", "[object Object]", "<NA>"].map((text) => ({
    ...{ name: `an item ${text}`, bytes: withItem(text), refused: /stands for “no value”/ },
  })),
  {
    name: "a lot that stands for nothing",
    bytes: Buffer.from(`${header};lotNumber\n1;2030-01-31;A;5;NULL`),
    read: one,
  },
  ...["03. Apr", "4-Mar", "Mrz 12", "Jan-30"].map((text) => ({
    ...{ name: `an item ${text}`, bytes: withItem(text), refused: /has made a date of this number/ },
  })),
  {
    name: "an order #REF!",
    bytes: withNumber("#REF!"),
    refused: /column "number", value "#REF!".*error of the spreadsheet/,
  },
  { name: "an order Total", bytes: csv("1;2030-01-31;A;5", "Total;;;5"), refused: /Row 3.*looks like a total/ },
  {
    name: "a total in a column of texts",
    bytes: Buffer.from(`${header};itemName\n1;2030-01-31;A;5;Screw\n;;;5;Summe`),
    refused: /Row 3, column "itemName", value "Summe".*looks like a total/,
  },
  { name: "an item that is really called Total", bytes: withItem('"=""Total"""'), read: ["1 2030-01-31: Total × 5"] },
  { name: "leading zeros kept by a formula", bytes: withItem('"=""007"""'), read: ["1 2030-01-31: 007 × 5"] },
  { name: "leading zeros kept by an apostrophe", bytes: withItem("'007"), read: ["1 2030-01-31: 007 × 5"] },
  { name: "leading zeros", bytes: withItem("000815"), read: ["1 2030-01-31: 000815 × 5"] },
  { name: "a shortened item number", bytes: withItem("1,23E+12"), refused: /shortened this number and lost digits/ },
  { name: "a shortened order number", bytes: withNumber("4.71E+15"), refused: /shortened this number/ },
  { name: "an item that only looks shortened", bytes: withItem("4E10"), read: ["1 2030-01-31: 4E10 × 5"] },
  { name: "an item with a plus sign", bytes: withItem("AB+2"), read: ["1 2030-01-31: AB+2 × 5"] },
  { name: "an item with a colon", bytes: withItem("ERX:502"), read: ["1 2030-01-31: ERX:502 × 5"] },
  {
    name: "an item name that is a numbered error",
    bytes: Buffer.from(`${header};itemName\n1;2030-01-31;A;5;Err:502`),
    refused: /error of the spreadsheet/,
  },
  { name: "an item with a hash", bytes: withItem("#12"), read: ["1 2030-01-31: #12 × 5"] },
  { name: "a line break in an item number", bytes: withItem('"A\nB"'), refused: /cannot be seen \(U\+000A\)/ },
  {
    name: "an item name that is an error",
    bytes: Buffer.from(`${header};itemName\n1;2030-01-31;A;5;#REF!`),
    refused: /error of the spreadsheet/,
  },
  { name: "Ctrl-Z at the end", bytes: Buffer.concat([csv("1;2030-01-31;A;5\r\n"), Buffer.from([0x1a])]), read: one },
  { name: "Ctrl-Z and a line end at the end", bytes: csv("1;2030-01-31;A;5\n\u001a\r\n"), read: one },
  {
    name: "Ctrl-Z between two files",
    bytes: csv("1;2030-01-31;A;5", "\u001a2;2030-01-31;A;5"),
    refused: /Row 3.*end-of-file mark \(Ctrl-Z\)/,
  },
  { name: "a NUL in a cell", bytes: withItem("A\0"), refused: /characters that are no text/ },
  {
    name: "a hint for spreadsheets above the header",
    bytes: Buffer.from(`sep=;\r\n${header}\r\n1;2030-01-31;A;5\r\n`),
    read: one,
  },
  { name: "a workbook", bytes: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]), refused: /Excel workbook/ },
  {
    name: "a page of HTML called CSV",
    bytes: Buffer.from("<html><table><tr><td>1"),
    refused: /XML or HTML|line 1, column/,
  },
];
