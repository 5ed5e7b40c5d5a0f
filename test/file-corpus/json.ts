import { type CorpusFile, order } from "./case.ts";

const one = ["1 2030-01-31: A × 5"];
const list = (...orders: string[]) => Buffer.from(`[${orders.join(",")}]`);
const line = (item: string) => `{"itemNumber":"${item}","requestedAmount":5}`;
const deep = '"externalData":{"a":{"b":[{"c":1,"\\u0063":2}]}}';

export const jsonFiles: readonly CorpusFile[] = [
  { name: "a list", bytes: list(order('"number":"1"')), read: one },
  { name: "one order", bytes: Buffer.from(order('"Number":"1"')), read: one },
  { name: "a list under its name", bytes: Buffer.from(`{"workOrders":[${order('"number":"1"')}]}`), read: one },
  {
    name: "Ctrl-Z behind the list",
    bytes: Buffer.concat([list(order('"number":"1"')), Buffer.from("\u001a\n")]),
    read: one,
  },
  {
    name: "a member twice",
    bytes: list(order('"number":"0"'), order('"number":"1","number":"2"')),
    refused: /Row 2, column "number": this field is given twice/,
  },
  {
    name: "a member twice by an escape",
    bytes: list(order('"number":"1","numbe\\u0072":"2"')),
    refused: /Row 1, column "number": .*twice/,
  },
  {
    name: "a member twice by letter case",
    bytes: list(order('"number":"1","NUMBER":"2"')),
    refused: /Row 1, column "NUMBER": .*twice/,
  },
  {
    name: "a member twice in a line",
    bytes: list(order('"number":"1"', '[{"itemNumber":"A","requestedAmount":5,"requestedAmount":6}]')),
    refused: /requests\[0\]\.requestedAmount": .*twice/,
  },
  {
    name: "a member twice deep in external data",
    bytes: list(order(`"number":"1",${deep}`)),
    refused: /externalData\.a\.b\[0\]\.c": .*twice/,
  },
  {
    name: "a member twice around the list",
    bytes: Buffer.from(`{"data":[],"data":[${order('"number":"1"')}]}`),
    refused: /column "data": .*twice/,
  },
  {
    name: "a member twice in a named list",
    bytes: Buffer.from(`{"workOrders":[${order('"number":"1"')},${order('"number":"2","number":"3"')}]}`),
    refused: /Row 2, column "number": .*twice/,
  },
  {
    name: "half a character",
    bytes: list(order('"number":"\\ud800"')),
    refused: /Row 1, column "number".*half of a character/,
  },
  { name: "a number that is no text", bytes: list(order('"number":1')), refused: /text in quotation marks/ },
  {
    name: "an amount as text",
    bytes: list(order('"number":"1"', '[{"itemNumber":"A","requestedAmount":"5"}]')),
    refused: /a whole number is expected/,
  },
  {
    name: "half an amount",
    bytes: list(order('"number":"1"', '[{"itemNumber":"A","requestedAmount":1.5}]')),
    refused: /a whole number is expected/,
  },
  { name: "no lines", bytes: list(order('"number":"1"', "[]")), refused: /at least one line/ },
  { name: "a name that changes prototypes", bytes: list(order('"number":"1","__proto__":{}')), refused: /__proto__/ },
  { name: "a list that stops", bytes: Buffer.from('[{"number":"1"'), refused: /not valid JSON: error in line 1/ },
  { name: "brackets without end", bytes: Buffer.from("[".repeat(500)), refused: /nested more than 100 levels/ },
  {
    name: "a date that does not exist",
    bytes: Buffer.from('[{"number":"1","dueDate":"2030-02-30","requests":[{"itemNumber":"A","requestedAmount":5}]}]'),
    refused: /not a date that exists/,
  },
  {
    name: "two lists",
    bytes: Buffer.from(`{"workOrders":[${order('"number":"1"')}],"data":[${order('"number":"2"')}]}`),
    refused: /two lists, workOrders and data/,
  },
  {
    name: "a list with more beside it",
    bytes: Buffer.from(`{"data":[${order('"number":"1"')}],"next":"/page2","total":500}`),
    read: one,
    note: /Columns not used: next, total/,
  },
  {
    name: "one object in each line",
    bytes: Buffer.from(`${order('"number":"1"')}\n${order('"number":"2"')}\n`),
    refused: /not valid JSON: error in line 2, character 1\./,
  },
  {
    name: "a comma too many",
    bytes: Buffer.from(`[\n${order('"number":"1"')},\n]`),
    refused: /not valid JSON: error in line 3, character 1\./,
  },
  { name: "NaN", bytes: list(order('"number":NaN')), refused: /not valid JSON: error in line 1, character 12\./ },
  { name: "a number of blanks", bytes: list(order('"number":"  "')), refused: /Row 1, column "number".*fill in/ },
  { name: "blanks around a number", bytes: list(order('"number":" 1"')), refused: /cannot be seen \(U\+0020\)/ },
  { name: "a zero-width space in a number in JSON", bytes: list(order('"number":"1\\u200b"')), refused: /U\+200B/ },
  {
    name: "a NUL in an item number",
    bytes: list(order('"number":"1"', '[{"itemNumber":"A\\u0000","requestedAmount":5}]')),
    refused: /requests\[0\]\.itemNumber".*U\+0000/,
  },
  ...["None", "[object Object]", "NULL"].map((text) => ({
    ...{ name: `the number ${text}`, bytes: list(order(`"number":"${text}"`)), refused: /stands for “no value”/ },
  })),
  ...(
    [
      ["=1+1", /a formula and not its result/],
      ["=A2", /a formula and not its result/],
      ["SVERWEIS(A2;B:C;2;0)", /a formula and not its result/],
      ["#N/A", /error of the spreadsheet/],
      ["#####", /error of the spreadsheet/],
      ["1,23E+12", /shortened this number and lost digits/],
      ["4.71E+15", /shortened this number and lost digits/],
      ["-----", /stands for “no value”/],
      ["Total", /looks like a total.*leave this record out/],
      ["Gesamtsumme", /looks like a total.*leave this record out/],
    ] as const
  ).flatMap(([text, refused]) => [
    { name: `the number ${text} in JSON`, bytes: list(order(`"number":"${text}"`)), refused },
    {
      name: `the item ${text} in JSON`,
      bytes: list(order('"number":"1"', `[{"itemNumber":"A","requestedAmount":5},${line(text)}]`)),
      refused: new RegExp(`requests\\[1\\]\\.itemNumber.*${refused.source}`),
    },
    {
      name: `the item ${text} in JSON in a file of items`,
      bytes: Buffer.from(`[{"number":"A","weight":1},{"number":"${text}","weight":1}]`),
      holds: "items" as const,
      refused: new RegExp(`Row 2, column "number".*${refused.source}`),
    },
  ]),
  ...["Total Care", "A Ergebnis", "4E10", "12/3/2030", "Jan-30", "AB+2", "#12", "Messergebnis"].map((text) => ({
    name: `the item ${text} in JSON`,
    bytes: list(order('"number":"1"', `[${line(text)}]`)),
    read: [`1 2030-01-31: ${text} × 5`],
  })),
  { name: "the number #REF!", bytes: list(order('"number":"#REF!"')), refused: /error of the spreadsheet/ },
];
