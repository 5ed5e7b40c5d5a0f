import { type CorpusFile, csv, withAmount } from "./case.ts";

const rightAmounts: readonly (readonly [string, number])[] = [
  ...([
    ["5", 5],
    ["+5", 5],
    ["005", 5],
    ["5,0", 5],
    ["5.00", 5],
    ["1 000", 1000],
    ["1'000", 1000],
  ] as const),
  ...([
    ["1.000,00", 1000],
    ["1,000.00", 1000],
    ["1.234.567", 1234567],
    ["2147483647", 2147483647],
  ] as const),
];
const wrongAmounts: readonly (readonly [string, RegExp])[] = [
  ["0", /a whole number above 0/],
  ["-3", /a whole number above 0/],
  ["many", /a whole number above 0/],
  ["1e3", /a whole number above 0/],
  ["5 pcs", /a whole number above 0/],
  ["2,5", /amounts must be whole/],
  ["1.234", /can mean 1\.234 or 1234/],
  ["1,000", /can mean 1 or 1000/],
  ["2147483648", /at most 2147483647/],
  ["99999999999999999999", /at most 2147483647/],
  ["#WERT!", /an error of the spreadsheet/],
  ["=SUMME(D1:D2)", /a formula and not its result/],
  ["", /fill in this cell/],
  ["５", /a whole number above 0/],
  ["−5", /a whole number above 0/],
  ["5-", /a whole number above 0/],
  ["(5)", /a whole number above 0/],
  ["1,00,000", /a whole number above 0/],
  ["0x10", /a whole number above 0/],
  ["5.0000000000000001", /a whole number above 0/],
  ["10 00", /a whole number above 0/],
];
const items = (...rows: string[]) => Buffer.from(["number;weight", ...rows].join("\n"));

const commas = (headings: string, ...rows: string[]) =>
  Buffer.from([`number,dueDate,itemNumber,requestedAmount,${headings}`, ...rows].join("\n"));

export const numberFiles: readonly CorpusFile[] = [
  {
    name: "1,0 without quotes before a lot, in a file with commas",
    bytes: commas("lotNumber", "1,2030-01-31,A,1,0"),
    read: ["1 2030-01-31: A × 1"],
    note: /Row 2: 1,0 was read as two cells \(requestedAmount, lotNumber\); put it in quotation marks/,
  },
  {
    name: "1,500 without quotes before a lot, which another row leaves blank",
    bytes: commas("lotNumber", "1,2030-01-31,A,1,500", "2,2030-01-31,A,2,"),
    read: ["1 2030-01-31: A × 1", "2 2030-01-31: A × 2"],
    note: /Row 2: 1,500 was read as two cells \(requestedAmount, lotNumber\); put it in quotation marks/,
  },
  {
    name: "2,750 without quotes in a row below",
    bytes: commas("lotNumber", "1,2030-01-31,A,2,", "2,2030-01-31,A,2,750"),
    read: ["1 2030-01-31: A × 2", "2 2030-01-31: A × 2"],
    note: /Row 3: 2,750 was read as two cells/,
  },
  {
    name: "the lot 500 beside another one that is no thousands",
    bytes: commas("lotNumber", "1,2030-01-31,A,1,500", "2,2030-01-31,A,2,L-42"),
    read: ["1 2030-01-31: A × 1", "2 2030-01-31: A × 2"],
  },
  {
    name: "the lot 500 after an amount that is no thousands",
    bytes: commas("lotNumber", "1,2030-01-31,A,1200,500"),
    read: ["1 2030-01-31: A × 1200"],
  },
  {
    name: "12,00 without quotes before a location and a lot",
    bytes: commas("designatedLocationName,lotNumber", "1,2030-01-31,A,5,L-1,", "1,2030-01-31,B,12,00,"),
    read: ["1 2030-01-31: A × 5, B × 12"],
    note: /Row 3: 12,00 was read as two cells/,
  },
  {
    name: "1,0 without quotes before a delimiter at the end",
    bytes: commas("lotNumber", "1,2030-01-31,A,1,0,"),
    refused: /Row 2: 6 cells instead of 5/,
  },
  {
    name: "an amount and the unit 0 between commas",
    bytes: commas("unitOfMeasure,lotNumber", "1,2030-01-31,A,1,0,"),
    read: ["1 2030-01-31: A × 1"],
  },
  {
    name: "an amount and a lot in quotes between commas",
    bytes: commas("lotNumber", '1,2030-01-31,A,1,"L-0"'),
    read: ["1 2030-01-31: A × 1"],
  },
  {
    name: "1,5 without quotes before a name, in a file with commas",
    bytes: Buffer.from("number,weight,name\nA,1,5\n"),
    holds: "items",
    read: ["A 1"],
    note: /Row 2: 1,5 was read as two cells \(weight, name\)/,
  },
  {
    name: "orders that all end with .0",
    bytes: csv("4711.0;2030-01-31;A;5", ";;B;1", "4712.0;2030-01-31;A;5"),
    read: ["4711.0 2030-01-31: A × 5, B × 1", "4712.0 2030-01-31: A × 5"],
    note: /Every number in column number ends like 4711\.0/,
  },
  {
    name: "items that all end with .0",
    bytes: items("100.0;1", "200.0;2"),
    holds: "items",
    read: ["100.0 1", "200.0 2"],
    note: /Every number in column number ends like 100\.0/,
  },
  {
    name: "one order that ends with .0 among others",
    bytes: csv("4711.0;2030-01-31;A;5", "4712;2030-01-31;A;5"),
    read: ["4711.0 2030-01-31: A × 5", "4712 2030-01-31: A × 5"],
  },
  ...rightAmounts.map(([text, amount]) => ({
    ...{ name: `an amount written ${text}`, bytes: withAmount(text), read: [`1 2030-01-31: A × ${amount}`] },
  })),
  ...wrongAmounts.map(([text, refused]) => ({ name: `an amount “${text}”`, bytes: withAmount(text), refused })),
  {
    name: "1,5 after 2.5",
    bytes: items("A;2.5", "B;1,5"),
    holds: "items",
    refused: /Row 3.*another one than in row 2 \(2\.5\)/,
  },
  {
    name: "an amount 1,5 after 2.0",
    bytes: csv("1;2030-01-31;A;2.0", "1;;B;1,5"),
    refused: /Row 3.*another one than in row 2 \(2\.0\)/,
  },
  {
    name: "1.234 in a file that writes 2.0",
    bytes: csv("1;2030-01-31;A;2.0", "1;;B;1.234"),
    refused: /Row 3.*read as 1\.234, because row 2 \(2\.0\).*If 1234 is meant, write 1234/,
  },
  {
    name: "1.234 in a file that writes 2,0",
    bytes: csv("1;2030-01-31;A;2,0", "1;;B;1.234"),
    read: ["1 2030-01-31: A × 2, B × 1234"],
  },
  {
    name: "1.234 with a profile",
    bytes: withAmount("1.234"),
    settings: { profiles: [{ name: "de", header: ["number"], decimalSign: "," }] },
    read: ["1 2030-01-31: A × 1234"],
  },
  { name: "weights with a comma", bytes: items("A;1,5", "B;0,25"), holds: "items", read: ["A 1.5", "B 0.25"] },
  {
    name: "a weight beyond all bounds",
    bytes: items("A;1,5", `B;${"9".repeat(30)}`),
    holds: "items",
    refused: /at most 1000000000000000/,
  },
];
