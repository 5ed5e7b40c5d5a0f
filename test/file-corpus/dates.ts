import { type CorpusFile, csv, withDate } from "./case.ts";

const onTheDay = ["1 2030-01-31: A × 5"];
const american = (...rows: string[]) => Buffer.from(["number,due date,item,qty", ...rows].join("\n"));

const inJson = (dueDate: string) =>
  Buffer.from(JSON.stringify([{ number: "1", dueDate, requests: [{ itemNumber: "A", requestedAmount: 5 }] }]));

const rightWritings = [
  ...["2030-01-31", "20300131", "31.01.2030", "31.1.30", "31/01/2030", "31-01-2030", "2030/01/31", "2030.01.31"],
  ...["31-Jan-2030", "31 Jan 2030", "31. Januar 2030", "31. Jänner 2030", "31 janvier 2030", "31 gennaio 2030"],
  ...["31 de enero de 2030", "31 januari 2030", "31 stycznia 2030", "31-JAN-30", "Jan 31, 2030", "January 31st, 2030"],
  ...["Thu, 31 Jan 2030", "2030-Jan-31", "2030-01-31T00:00:00+01:00"],
];

const wrongWritings: readonly (readonly [date: string, refused: RegExp])[] = [
  ["30.02.2030", /not a date that exists/],
  ["2030-13-01", /not a date that exists/],
  ["31-Foo-2030", /not a date that exists/],
  ["31-Feb-2030", /not a date that exists/],
  ["31.12.99", /a date in the year 2099 cannot be meant/],
  ["01.01.1900", /a date in the year 1900 cannot be meant/],
  ["31/01/2573", /a date in the year 2573 cannot be meant/],
  ["3020-01-31", /a date in the year 3020 cannot be meant/],
  ["soon", /not a date that exists/],
  ["47514", /the spreadsheet’s own number of a day \(probably 2030-01-31\)/],
  ["47514,5", /probably 2030-01-31/],
  ["#N/A", /an error of the spreadsheet/],
  ["=TODAY()", /a formula and not its result/],
  ["########", /an error of the spreadsheet/],
  ["03/04/2030 4:00 PM", /day and month cannot be told apart/],
  ["03/04/2030 4:00 p.m.", /day and month cannot be told apart/],
  ["", /column "dueDate": fill in this cell/],
];

export const dateFiles: readonly CorpusFile[] = [
  ...["2030-03-31 02:30", "31.03.2030 02:30", "2030-03-31T02:00"].map((date) => ({
    name: `${date}, which clocks skip`,
    bytes: withDate(date),
    read: ["1 2030-03-31: A × 5"],
    note: /Row 2: the time .* does not exist, because clocks go forward over it; it was read as 2030-03-31T03:[03]0:00\+02:00/,
  })),
  ...["2030-03-31 01:59", "2030-03-31 03:00", "2030-03-31T02:30+01:00", "2030-03-31"].map((date) => ({
    ...{ name: `${date}, which clocks show`, bytes: withDate(date), read: ["1 2030-03-31: A × 5"] },
  })),
  ...["11.12.13", "11-12-13", "11/12/13"].map((date) => ({
    name: `${date}, which could begin with its year`,
    bytes: withDate(date),
    read: ["1 2013-12-11: A × 5"],
    note: new RegExp(`Dates such as ${date} were read with the day first \\(2013-12-11\\)`),
  })),
  ...rightWritings.map((date) => ({ name: `a due date written ${date}`, bytes: withDate(date), read: onTheDay })),
  ...wrongWritings.map(([date, refused]) => ({ name: `a due date “${date}”`, bytes: withDate(date), refused })),
  {
    name: "day and month that semicolons decide",
    bytes: withDate("03/04/2030"),
    read: ["1 2030-04-03: A × 5"],
    note: /Dates such as 03\/04\/2030 were read with the day first \(2030-04-03\)/,
  },
  { name: "a due date of 1900 in JSON", bytes: inJson("1900-01-01"), refused: /a date in 1970 or later is expected/ },
  { name: "a due date of the year 1 in JSON", bytes: inJson("0001-01-01T00:00:00Z"), refused: /1970 or later/ },
  { name: "a due date of 1970 in JSON", bytes: inJson("1970-01-02"), read: ["1 1970-01-02: A × 5"] },
  { name: "day and month between commas", bytes: american("1,03/04/2030,A,5"), refused: /cannot be told apart/ },
  {
    name: "day and month that another row decides",
    bytes: american("1,03/04/2030,A,5", "2,12/31/2030,A,5"),
    read: ["1 2030-03-04: A × 5", "2 2030-12-31: A × 5"],
  },
  {
    name: "day and month that a profile decides",
    bytes: american("1,03/04/2030,A,5"),
    settings: { profiles: [{ name: "us", header: ["due date"], dateOrder: "mdy" }] },
    read: ["1 2030-03-04: A × 5"],
  },
  {
    name: "25/12 after 12/25",
    bytes: american("1,12/25/2030,A,5", "2,25/12/2030,A,5"),
    refused: /Row 3.*the other way round than in row 2 \(12\/25\/2030\)/,
  },
  {
    name: "an afternoon in one row and none in another",
    bytes: csv("1;03/04/2030;A;5", "2;05/06/2030 4:00 PM;A;5"),
    refused: /Row 2.*cannot be told apart.*Row 3.*cannot be told apart/s,
  },
  {
    name: "an afternoon in a row that shows the order",
    bytes: csv("1;12/25/2030 4:00 PM;A;5", "2;03/04/2030 4:00 PM;A;5"),
    read: ["1 2030-12-25: A × 5", "2 2030-03-04: A × 5"],
  },
  {
    name: "a year of two digits that may come first",
    bytes: withDate("30-01-31"),
    read: ["1 2031-01-30: A × 5"],
    note: /Dates such as 30-01-31 were read with the day first \(2031-01-30\)/,
  },
  { name: "a Friday that is a Thursday", bytes: withDate("Fri, 31 Jan 2030"), refused: /not a date that exists/ },
  { name: "midnight at the end of a day", bytes: withDate("30.01.2030 24:00"), read: ["1 2030-01-31: A × 5"] },
  ...[
    "2030-W05-4",
    "1896048000000",
    "/Date(1896048000000)/",
    "31/1",
    "0000-00-00",
    "20303101",
    "2030-01-31 08:00 CET",
  ].map((date) => ({ name: `a due date “${date}”`, bytes: withDate(date), refused: /not a date that exists/ })),
  {
    name: "two due dates for one order",
    bytes: csv("1;2030-01-31;A;5", "1;2030-02-01;B;5"),
    refused: /Row 3.*row 2 says "2030-01-31" for the same order 1/,
  },
  {
    name: "one due date in two writings",
    bytes: csv("1;2030-01-31;A;5", "1;31.01.2030;B;5"),
    read: ["1 2030-01-31: A × 5, B × 5"],
  },
];
