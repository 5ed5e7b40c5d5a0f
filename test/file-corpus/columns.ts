import { type CorpusFile, csv, header } from "./case.ts";

const one = ["1 2030-01-31: A × 5"];
const file = (...rows: string[]) => Buffer.from(rows.join("\n"));
const open = { name: "open", header: ["number"], where: { Status: ["open", "new"] } };

export const columnFiles: readonly CorpusFile[] = [
  {
    name: "two columns for the amount that differ",
    bytes: file("Auftrag;Termin;Artikelnummer;Menge;Anzahl", "1;31.01.2030;A;5;7"),
    refused: /Row 2, column "Menge", value "5".*column "Anzahl" means the same \(requestedAmount\) and says "7"/,
  },
  {
    name: "two columns for the amount that agree",
    bytes: file("Auftrag;Termin;Artikelnummer;Menge;Anzahl", "1;31.01.2030;A;5;5,0"),
    read: one,
  },
  {
    name: "an amount in the less clear of two columns only",
    bytes: file("Auftrag;Termin;Artikelnummer;Menge;Anzahl", "1;31.01.2030;A;;7"),
    refused: /column "Anzahl" means the same/,
  },
  {
    name: "two due dates that differ",
    bytes: file("Auftrag;Fälligkeit;Termin;Artikelnummer;Menge", "1;31.01.2030;01.02.2030;A;5"),
    refused: /column "Termin" means the same \(dueDate\)/,
  },
  {
    name: "two item numbers that differ",
    bytes: file("number;dueDate;sku;item number;qty", "1;2030-01-31;X;A;5"),
    refused: /column "sku" means the same \(itemNumber\) and says "X"/,
  },
  {
    name: "two columns of which a profile names one",
    bytes: file("number;dueDate;sku;item number;qty", "1;2030-01-31;X;A;5"),
    settings: { profiles: [{ name: "shop", columns: { sku: "itemNumber" } }] },
    read: ["1 2030-01-31: X × 5"],
    note: /Columns not used: item number/,
  },
  {
    name: "an article beside its number",
    bytes: file("Auftrag;Termin;Artikel;Artikelnummer;Menge", "1;31.01.2030;Schraube;A;5"),
    read: one,
    note: /Columns not used: Artikel\./,
  },
  { name: "one heading twice", bytes: file(`${header};dueDate`, "1;2030-01-31;A;5;2030-02-01"), refused: /twice/ },
  {
    name: "columns nobody knows",
    bytes: file(`${header};Colour;Price`, "1;2030-01-31;A;5;red;9"),
    read: one,
    note: /^1 record read\. Columns not used: Colour, Price\.$/,
  },
  {
    name: "values in a column without heading",
    bytes: file(`${header};`, "1;2030-01-31;A;5;x"),
    read: one,
    note: /Columns not used: \(5\)/,
  },
  { name: "a delimiter too many in each line", bytes: file(`${header};`, "1;2030-01-31;A;5;"), read: one },
  {
    name: "no amount column",
    bytes: file("number;dueDate;itemNumber", "1;2030-01-31;A"),
    refused: /no column for “quantity” \(requestedAmount\)/,
  },
  { name: "no header", bytes: file("1;2030-01-31;A;5"), refused: /No known column names/ },
  { name: "a cell too few", bytes: file(header, "1;2030-01-31;A"), refused: /Row 2: 3 cells instead of 4/ },
  { name: "one cell only", bytes: file(header, "1;2030-01-31;A;5", "end"), refused: /Row 3: 1 cell instead of 4/ },
  { name: "a quote that never closes", bytes: csv('1;2030-01-31;"A;5', "2;2030-01-31;B;1"), refused: /never closes/ },
  { name: "text behind a quote", bytes: csv('1;2030-01-31;"A" B;5'), refused: /behind the closing quotation mark/ },
  {
    name: "an unknown unit",
    bytes: file(`${header};unit`, "1;2030-01-31;A;5;parsec"),
    refused: /piece, meter, kilogram/,
  },
  {
    name: "an unknown request type",
    bytes: file(`${header};requestType`, "1;2030-01-31;A;5;9"),
    refused: /pick \(1\), place \(2\)/,
  },
  {
    name: "a number of 300 characters",
    bytes: csv(`${"9".repeat(300)};2030-01-31;A;5`),
    refused: /at most 256 characters/,
  },
  { name: "a line of the wrong order", bytes: csv(";2030-01-31;A;5"), refused: /no order number/ },
  { name: "an order without lines", bytes: csv("1;2030-01-31;;"), refused: /has no lines/ },
  { name: "an empty file", bytes: Buffer.alloc(0), refused: /is empty/ },
  {
    name: "rows that a profile leaves out",
    bytes: file(`${header};Status`, "1;2030-01-31;A;5;open", "2;2030-01-31;B;1;closed", "3;2030-01-31;C;2;NEW"),
    settings: { profiles: [open] },
    read: ["1 2030-01-31: A × 5", "3 2030-01-31: C × 2"],
    note: /1 row was left out by “where”\. Columns not used: Status\./,
  },
  {
    name: "a total row that a profile leaves out",
    bytes: csv("1;2030-01-31;A;5", ";;Total;5"),
    settings: { profiles: [{ name: "list", header: ["number"], where: { itemNumber: { not: ["Total"] } } }] },
    read: one,
    note: /1 row was left out/,
  },
  {
    name: "a line of an order that a profile leaves out",
    bytes: file(`${header};Status`, "1;2030-01-31;A;5;open", "2;2030-01-31;B;1;closed", ";;C;2;open"),
    settings: { profiles: [open] },
    refused: /Row 4: the row has no order number, and “where” decides otherwise/,
  },
  {
    name: "a status on the first row of an order only",
    bytes: file(`${header};Status`, "1;2030-01-31;A;5;open", ";;C;2;"),
    settings: { profiles: [open] },
    refused: /Row 3.*column "Status"/,
  },
  {
    name: "a filter by a column that is not there",
    bytes: csv("1;2030-01-31;A;5"),
    settings: { profiles: [open] },
    refused: /“where” reads the column Status, which the file does not have/,
  },
  {
    name: "the headings again in the middle",
    bytes: csv("1;2030-01-31;A;5", header, "2;2030-01-31;B;6"),
    refused: /Row 3: the row repeats the headings/,
  },
  {
    name: "two files in one, the second with its mark and headings",
    bytes: Buffer.from(`\ufeff${header}\n1;2030-01-31;A;5\n\ufeff${header}\n2;2030-01-31;B;6`),
    refused: /Row 3: the row repeats the headings/,
  },
  {
    name: "the headings of items again",
    bytes: file("number;name", "A;Bolt", "number;name", "B;Nut"),
    holds: "items",
    refused: /Row 3: the row repeats the headings/,
  },
  {
    name: "headings in two languages",
    bytes: file("Artikelnummer;Bezeichnung", "number;name", "B;Nut"),
    holds: "items",
    refused: /Row 2: the row repeats the headings/,
  },
  {
    name: "a line drawn below the headings",
    bytes: file("number;name", "------;----", "B;Nut"),
    holds: "items",
    refused: /Row 2, column "number", value "------".*no value/,
  },
  {
    name: "a count of the rows below them",
    bytes: file("number;name", "B;Nut", "1 row;"),
    holds: "items",
    refused: /Row 3.*a total or a footer/,
  },
  {
    name: "an amount with a comma that takes two cells",
    bytes: file("number,dueDate,itemNumber,requestedAmount,lotNumber", "1,2030-01-31,A,1,5,"),
    refused: /Row 2: 6 cells instead of 5/,
  },
  {
    name: "a comma too many in each line",
    bytes: file("number,dueDate,itemNumber,requestedAmount", "1,2030-01-31,A,5,"),
    read: one,
  },
  {
    name: "a quotation mark that swallows a row at the end",
    bytes: file(`${header};itemName`, '1;2030-01-31;A;5;"Pipe', '2;2030-01-31;B;6;Pipe"', "3;2030-01-31;C;7;x"),
    refused: /Row 2: a quotation mark in column "itemName" closes in a later row only/,
  },
  {
    name: "a quotation mark that swallows rows in the middle",
    bytes: file(
      "number;itemName;dueDate;itemNumber;qty",
      '1;"Pipe;2030-01-31;A;5',
      "2;Nut;2030-01-31;B;6",
      '3;Bow";2030-01-31;C;7',
    ),
    refused: /Row 2: a quotation mark in column "itemName"/,
  },
  {
    name: "a text of two lines",
    bytes: file(`${header};itemName`, '1;2030-01-31;A;5;"Pipe; long', 'and thin"'),
    read: one,
  },
  {
    name: "rows that are quoted as a whole",
    bytes: file(header, '"1;2030-01-31;A;5"'),
    refused: /1 cell instead of 4/,
  },
  {
    name: "single quotes around everything",
    bytes: csv("'1';'2030-01-31';'A';'5'"),
    refused: /Row 2, column "dueDate".*not a date/,
  },
  {
    name: "a delimiter nobody uses",
    bytes: file(header.replaceAll(";", "^"), "1^2030-01-31^A^5"),
    refused: /No known column/,
  },
  { name: "line ends of an old Mac", bytes: Buffer.from(`${header}\r1;2030-01-31;A;5\r`), read: one },
  { name: "line ends with two returns", bytes: Buffer.from(`${header}\r\r\n1;2030-01-31;A;5\r\r\n`), read: one },
  {
    name: "zeros behind the last row, as a crash leaves them",
    bytes: Buffer.concat([csv("1;2030-01-31;A;5\n"), Buffer.alloc(64)]),
    refused: /Row 3.*no text/,
  },
];
