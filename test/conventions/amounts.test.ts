import { expect, test } from "vitest";
import { readCode } from "../../scripts/code/read-code.ts";

/**
 * One reconciliation decides every amount, from facts that the ledger keeps. An amount that another file works out for
 * itself is one that agrees with the others until somebody changes one of them.
 */
const deciding: Readonly<Record<string, string>> = {
  "store/changes/reconcile.ts": "decides what each order is to have of a line",
  "store/changes/group/line-facts.ts": "puts its facts into one unit",
  "store/changes/group/group-totals.ts": "adds up what it found to be too much of an item",
  "store/changes/open-amounts.ts": "reads its decision in the unit of a ledger line",
  "store/changes/wanted.ts": "splits an amount for several lines over them",
  "store/changes/even-out-wall.ts": "says which line of an item goods at a put wall count for",
  "store/changes/line-amounts.ts": "adds up a line over its ledger lines, for changes and receipts",
  "store/changes/filing/changes-of-follow-up.ts":
    "turns an amount for a follow-up order into one for all orders together",
};
/**
 * Books facts: what the floor has told. Each file of the ledger that reckons is named, and none of them knows what is
 * wanted.
 */
const booking: Readonly<Record<string, string>> = {
  "store/ledger/ledger-line.ts": "keeps the equation of a ledger line",
  "store/ledger/book-step.ts": "books a confirmed step by the platform's own count",
  "store/ledger/book-placement.ts": "books goods at a put wall on the lines that were decided to want them",
  "store/ledger/refetch.ts": "counts what was picked under other request ids of a line",
  "store/ledger/recount-indistinguishable.ts": "counts what is shown of lines that nothing tells apart",
  "store/ledger/new-ledger-line.ts": "opens a ledger line with what was served",
  "store/ledger/line-ref.ts": "adds up lines that nothing tells apart, and compares amounts to find a line",
  "store/ledger/factor-memory.ts": "finds the factor of a unit",
  "store/ledger/remember-ledger-lines.ts": "sees whether a ledger line is done",
  "store/ledger/match/adopt-line.ts": "opens a ledger line of a line that the present order does not have",
  "store/ledger/base-units.ts": "turns a ledger line into base units",
};

/** What else adds up amounts, and why that decides nothing. */
const exceptions: Readonly<Record<string, string>> = {
  "store/changes/read-own-work.ts": "reads what was picked, to know our own bookings in what an ERP shows",
  "store/events/book-confirmation.ts": "adds up the containers of one confirmed step",
  "store/events/find-event-subject.ts": "reads what was booked in both units, for mappings of events",
  "store/finished/finish-tables.ts": "adds up what went into a container",
  "store/finished/finished-events.ts": "reads what was booked in both units, for whoever books at the end",
  "store/queries/get-report.ts": "adds up what was booked, to be read",
  "store/read-order-history.ts": "adds up what was decided, to be read",
};

const names =
  "amount|picked|taken|requested|cancelled|wanted|shown|held|rest|short|beyond|target|remaining|intake|placed|share|spare";
const amountWord = new RegExp(`\\b\\w*(${names})\\w*\\b`, "i");
const arithmetic = /(?:^|[\s)\]])(?:[-+*/%]|[-+*/]=)(?:\s|$)|\bMath\.\w+\(|\breduce\(|\broundAmount\(/;

/** The code of each line, without comments and what stands in texts. */
const codeLines = (source: string): string[] =>
  source
    .replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, (text) => `""${"\n".repeat(text.split("\n").length - 1)}`)
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => "\n".repeat(comment.split("\n").length - 1))
    .replace(/\/\/.*/g, "")
    .split("\n");

const reckoningIn = (source: string): number[] =>
  codeLines(source).flatMap((code, index) =>
    !/^\s*import\b/.test(code) && arithmetic.test(code) && amountWord.test(code) ? [index + 1] : [],
  );

test.each([
  ["const left = wanted - shortPicked;", [1]],
  ["const a = 1;\nreturn Math.max(0, line.picked);", [2]],
  ["const sum = lines.reduce((all, { amount }) => all + amount, 0);", [1]],
  ["total +=\n  picked;", []],
  ["// wanted - shortPicked\nconst next = index + 1;", []],
  ['const text = "picked + cancelled";', []],
  ["if (shown > target && shown > taken) return;", []],
])("%j reckons with amounts in the lines %j", (source, lines) => {
  expect(reckoningIn(source)).toEqual(lines);
});

const files = readCode().filter(({ path }) => path.startsWith("store/"));
const others = files.filter(({ path }) => deciding[path] === undefined && booking[path] === undefined);

test("no file of the store works out an amount but the reconciliation and the ledger", () => {
  const found = others
    .filter(({ path }) => exceptions[path] === undefined)
    .flatMap(({ path, text }) => reckoningIn(text).map((line) => `src/${path}:${line} ${text.split("\n")[line - 1]}`));
  expect(found).toEqual([]);
});

test("every file that may reckon with amounts does so", () => {
  const needless = Object.keys({ ...deciding, ...booking, ...exceptions }).filter(
    (path) => !files.some((file) => file.path === path && reckoningIn(file.text).length > 0),
  );
  expect(needless).toEqual([]);
});
