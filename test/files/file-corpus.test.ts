import { describe, expect, test } from "vitest";
import type { Incoming } from "../../src/connectors/files/options.ts";
import { recordReader } from "../../src/connectors/files/read/record-reader.ts";
import { FileType } from "../../src/contract/enums.ts";
import { type PushedWorkOrder, pushedItemSchema, pushedWorkOrderSchema } from "../../src/contract/pushes.ts";
import type { Item, WorkOrder } from "../../src/contract/schemas/work-order.ts";
import { validator } from "../../src/contract/validate/validator.ts";
import { noteValues } from "../../src/formats/csv/csv-notes.ts";
import { itemFileOutcome, workOrderFileOutcome } from "../../src/formats/import/read-file.ts";
import type { MessageKey } from "../../src/messages/catalogue.ts";
import { languages } from "../../src/messages/languages.ts";
import { localise } from "../../src/messages/localise.ts";
import { type OperatorText, say } from "../../src/messages/message.ts";
import { normaliseWorkOrder } from "../../src/operation/normalise-work-order.ts";
import { type CorpusFile, csv } from "../file-corpus/case.ts";
import { columnFiles } from "../file-corpus/columns.ts";
import { dateFiles } from "../file-corpus/dates.ts";
import { encodingFiles } from "../file-corpus/encodings.ts";
import { jsonFiles } from "../file-corpus/json.ts";
import { numberFiles } from "../file-corpus/numbers.ts";
import { spreadsheetFiles } from "../file-corpus/spreadsheets.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };
const corpus = { encodingFiles, dateFiles, numberFiles, spreadsheetFiles, columnFiles, jsonFiles };
const all = Object.values(corpus).flat();

const shortOrder = ({ number, dueDate, requests }: WorkOrder) =>
  `${number} ${dueDate.slice(0, 10)}: ${requests.map((one) => `${one.itemNumber} × ${one.requestedAmount}`).join(", ")}`;
const shortItem = ({ number, weight }: Item) => `${number} ${weight}`;

interface Verdict {
  readonly read?: readonly string[];
  readonly note?: string | null;
  readonly refused?: string;
}

/** The words in English; in every other language they must be whole too. */
function words(texts: readonly OperatorText[]): string {
  for (const language of languages) {
    for (const text of texts) expect(localise(text, language)).not.toMatch(/_absent|undefined|\{(?:row|column|value)/);
  }
  return texts.map((text) => localise(text, "en")).join("\n");
}

/** As the platform sends it. */
function uploaded({ bytes, holds, settings }: CorpusFile): Verdict {
  const upload = { fileType: FileType.Csv, fileContent: bytes.toString("base64") };
  const outcome =
    holds === "items"
      ? itemFileOutcome(upload, { dates, ...settings })
      : workOrderFileOutcome(upload, { dates, ...settings });
  if (!outcome.ok) return { refused: words([outcome.message ?? "", ...(outcome.problems ?? [])]) };
  const read = (outcome.data as (WorkOrder | Item)[]).map((one) =>
    "requests" in one ? shortOrder(one) : shortItem(one),
  );
  return { read, note: outcome.message === undefined ? null : words([outcome.message]) };
}

const orders = validator(pushedWorkOrderSchema);
const items = validator(pushedItemSchema);

/** The same file for a configuration with a mapping, if it has the usual columns. */
const map = {
  number: "number",
  dueDate: { from: "dueDate" },
  requests: { each: "rows", map: { itemNumber: "itemNumber", requestedAmount: { from: "requestedAmount" } } },
};
const mapping = { map, groupBy: "number" };

/** As it lies in a folder, with the check that every element passes on its way in. */
async function dropped({ bytes, holds, settings }: CorpusFile, mapped: Partial<Incoming> = {}): Promise<Verdict> {
  const topic = holds ?? "workOrders";
  const { profiles, encoding } = settings ?? {};
  const given = {
    topic,
    ...mapped,
    ...(profiles === undefined ? {} : { profiles }),
    ...(encoding === undefined ? {} : { encoding }),
  } as const;
  const reading = await recordReader(given, dates).read("file", bytes);
  if ("refusal" in reading) {
    return { refused: words(reading.refusal.map((one) => (typeof one === "string" ? one : one.text))) };
  }
  const read: string[] = [];
  const problems: OperatorText[] = [];
  for (const [index, { element, problems: found }] of reading.records.entries()) {
    problems.push(...found.map(({ text, message }) => message ?? text));
    if (found.length > 0) continue;
    const rules = holds === "items" ? items : orders;
    const value = rules.canonical(element);
    const normal = rules.isValid(value)
      ? holds === "items"
        ? { item: value as Item }
        : normaliseWorkOrder(value as PushedWorkOrder, dates)
      : { problems: rules.problems(value) };
    if ("workOrder" in normal) read.push(shortOrder(normal.workOrder));
    else if ("item" in normal) read.push(shortItem(normal.item));
    else {
      for (const { field, expected, detail = "", found = "" } of normal.problems) {
        // Every expectation has a text of that name.
        problems.push(
          say(`files.cell.${expected}` as MessageKey, { row: index + 1, column: field, literal: found, detail }),
        );
      }
    }
  }
  if (problems.length > 0) return { refused: words(problems) };
  const notes = noteValues(reading.notes);
  const key = read.length === 0 ? "files.no-records" : "files.read";
  const isNoted = read.length === 0 || Object.keys(notes).length > 0;
  return { read, note: isNoted ? words([say(key, { good: read.length, ...notes })]) : null };
}

function expectVerdict(verdict: Verdict, file: CorpusFile): void {
  if (file.refused !== undefined) expect(verdict).toEqual({ refused: expect.stringMatching(file.refused) });
  else {
    const note: unknown = file.note === undefined ? null : expect.stringMatching(file.note);
    expect(verdict).toEqual({ read: file.read, note });
  }
}

test("there are at least 150 files, each with a name of its own", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(150);
});

describe.each(Object.entries(corpus))("%s", (_subject, files) => {
  test.each(files)("$name: is read as meant or refused with words that help", (file) => {
    expectVerdict(uploaded(file), file);
  });

  test.each(files)("$name: is read or refused in the same way in a watched folder", async (file) => {
    expectVerdict(await dropped(file), file);
  });
});

describe("with a mapping", () => {
  const rows = [
    ["1;2030-01-31;Total;14", /looks like a total/],
    ["1;2030-01-31;Gesamtergebnis;14", /looks like a total/],
    ["1;2030-01-31;SVERWEIS(A2);5", /a formula and not its result/],
    ["1;2030-01-31;#REF!;5", /an error of the spreadsheet/],
    ["1;2030-01-31;Err:502;5", /an error of the spreadsheet/],
    ["1;2030-01-31;NULL;5", /stands for “no value”/],
    ["1;2030-01-31;03. Apr;5", /has made a date of this number/],
    ["1;2030-01-31;1,23E+12;5", /shortened this number/],
    ["1;2030-01-31;A\u200bB;5", /cannot be seen \(U\+200B\)/],
    ["Summe;2030-01-31;A;5", /looks like a total/],
  ] as const;
  test.each(rows)("%s is refused as without one", async (row, refused) => {
    const file = { name: row, bytes: csv(row) };
    expect(await dropped(file)).toEqual({ refused: expect.stringMatching(refused) });
    expect(await dropped(file, mapping)).toEqual({ refused: expect.stringMatching(refused) });
  });

  test.each(["A", "Total Care", '"=""Total"""', "#12", "4E10", "Messergebnis"])("an item %s is read", async (item) => {
    const file = { name: item, bytes: csv(`1;2030-01-31;${item};5`, `1;2030-01-31;${item};6`) };
    const { read } = await dropped(file, mapping);
    expect(read).toHaveLength(1);
    expect(read).toEqual((await dropped(file)).read);
  });

  test.each([
    ["=1+1", /a formula and not its result/],
    ["#N/A", /an error of the spreadsheet/],
    ["1,23E+12", /shortened this number/],
    ["Total", /looks like a total.*leave this record out/],
    ["A\u200b", /cannot be seen/],
    ["NULL", /stands for “no value”/],
  ])("the item %s of a JSON file is refused as without one", async (item, refused) => {
    const bytes = Buffer.from(`[{"number":"1","dueDate":"2030-01-31","lines":[{"item":"${item}","amount":5}]}]`);
    const requests = { each: "lines", map: { itemNumber: "item", requestedAmount: "amount" } };
    const mapped = { map: { number: "number", dueDate: "dueDate", requests } };
    expect(await dropped({ name: item, bytes }, mapped)).toEqual({ refused: expect.stringMatching(refused) });
  });

  test("the item =1+1 of an XML file is refused, with a mapping and without one", async () => {
    const item = (number: string) => `<item><number>${number}</number><weight>1</weight></item>`;
    const bytes = Buffer.from(`<items>${item("A")}${item("=1+1")}</items>`);
    const file = { name: "items", bytes, holds: "items" as const };
    const refused = { refused: expect.stringMatching(/Row 2, column "number".*a formula and not its result/) };
    expect(await dropped(file)).toEqual(refused);
    expect(await dropped(file, { map: { number: "number", weight: "weight" } })).toEqual(refused);
  });

  test("the item =1+1 of a JSON file is refused where a path names the list", async () => {
    const bytes = Buffer.from('{"list":[{"number":"=1+1","weight":1}]}');
    const verdict = await dropped({ name: "items", bytes, holds: "items" }, { records: "list" });
    expect(verdict).toEqual({ refused: expect.stringMatching(/a formula and not its result/) });
  });
});
