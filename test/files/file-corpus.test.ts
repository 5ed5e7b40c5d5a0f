import { describe, expect, test } from "vitest";
import { recordReader } from "../../src/connectors/files/read/record-reader.ts";
import { FileType } from "../../src/contract/enums.ts";
import { type PushedWorkOrder, pushedItemSchema, pushedWorkOrderSchema } from "../../src/contract/pushes.ts";
import type { Item, WorkOrder } from "../../src/contract/schemas/work-order.ts";
import { validator } from "../../src/contract/validate/validator.ts";
import { noteValues } from "../../src/formats/csv/read-csv.ts";
import { itemFileOutcome, workOrderFileOutcome } from "../../src/formats/import/read-file.ts";
import type { MessageKey } from "../../src/messages/catalogue.ts";
import { languages } from "../../src/messages/languages.ts";
import { localise } from "../../src/messages/localise.ts";
import { type OperatorText, say } from "../../src/messages/message.ts";
import { normaliseWorkOrder } from "../../src/operation/normalise-work-order.ts";
import type { CorpusFile } from "../file-corpus/case.ts";
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

/** As it lies in a folder, with the check that every element passes on its way in. */
async function dropped({ bytes, holds, settings }: CorpusFile): Promise<Verdict> {
  const topic = holds ?? "workOrders";
  const { profiles, encoding } = settings ?? {};
  const given = {
    topic,
    ...(profiles === undefined ? {} : { profiles }),
    ...(encoding === undefined ? {} : { encoding }),
  } as const;
  const reading = await recordReader(given, dates).read("file", bytes);
  if ("refusal" in reading) {
    return { refused: words(reading.refusal.map((one) => (typeof one === "string" ? one : one.text))) };
  }
  const read: string[] = [];
  const problems: OperatorText[] = [];
  for (const [index, { element }] of reading.records.entries()) {
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
