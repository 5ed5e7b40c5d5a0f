import fc from "fast-check";
import { expect, test } from "vitest";
import { languages } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { itemFileOutcome, workOrderFileOutcome } from "./read-file.ts";

const settings = { dates: { timeZone: "UTC", timeOfDay: "08:00" } };
const upload = (text: string, fileType: 0 | 1 = 1) => ({ fileContent: Buffer.from(text).toString("base64"), fileType });
const file = "number;dueDate;itemNumber;requestedAmount\n1;2026-01-01;a;2\n2;2026-01-01;a;2\n";

test("the numbers of an imported file are reported as known orders", () => {
  expect(workOrderFileOutcome(upload(file), settings)).toMatchObject({
    ok: true,
    data: [{ number: "1" }, { number: "2" }],
    facts: [{ topic: "knownOrders", lane: "", payload: { numbers: ["1", "2"] } }],
  });
});

test("a refused file reports every problem and is not recorded as a fact", () => {
  const outcome = workOrderFileOutcome(upload(file.replaceAll(";2\n", ";none\n")), settings);
  expect(outcome).toMatchObject({
    ok: false,
    result: "InvalidInput",
    message: { key: "files.refused" },
    problemCount: 2,
  });
  expect(!outcome.ok && outcome.problems).toMatchObject([
    { values: { row: 2, value: "none" } },
    { values: { row: 3 } },
  ]);
});

test("a partly good file says how much was withheld", () => {
  const outcome = workOrderFileOutcome(upload(file.replace("2;2026-01-01", "2;never")), {
    ...settings,
    badRecords: "quarantine",
  });
  expect(outcome).toMatchObject({
    ok: true,
    data: [{ number: "1" }],
    message: { key: "files.partial", values: { good: 1, bad: 1, row: 3 } },
  });
});

test("an empty file is invalid, and a file without records is an empty success with a text", () => {
  expect(workOrderFileOutcome(upload(""), settings)).toMatchObject({
    ok: false,
    result: "InvalidInput",
    problems: [{ key: "files.empty" }],
  });
  expect(itemFileOutcome(upload("[]", 0), settings)).toEqual({
    ok: true,
    data: [],
    message: { key: "files.no-records", values: {} },
  });
});

test("bytes of another kind are not supported, with the next step in words", () => {
  const outcome = itemFileOutcome(upload("%PDF-1.4"), settings);
  expect(outcome).toMatchObject({ ok: false, result: "FileNotSupported", message: { key: "files.kind.pdf" } });
  // Only a failed validation gives the answer a validationStatus.
  expect(outcome).not.toHaveProperty("problems");
});

test("any text that is not Base64 is refused as damaged", () => {
  const damaged = fc.string({ minLength: 1 }).filter((text) => !/^[A-Za-z0-9+/=\r\n]*$/.test(text));
  fc.assert(
    fc.property(damaged, (fileContent) => {
      expect(workOrderFileOutcome({ fileContent, fileType: 1 }, settings)).toMatchObject({
        ok: false,
        result: "InvalidInput",
        message: { key: "files.bad-base64" },
      });
    }),
  );
});

test.each([
  ["orders of a JSON file", workOrderFileOutcome, upload(`[${Array(30_000).fill("{}").join(",")}]`, 0)],
  ["items of a JSON file", itemFileOutcome, upload(`[${Array(30_000).fill("null").join(",")}]`, 0)],
  ["rows of a CSV file", workOrderFileOutcome, upload(`${file}${"3;never;a;none\n".repeat(30_000)}`)],
])("a file is read no further once ten thousand problems were found in its %s", (_, outcomeOf, given) => {
  const outcome = outcomeOf(given, settings);
  expect(outcome).toMatchObject({ ok: false, result: "InvalidInput", message: { key: "files.refused" } });
  expect(!outcome.ok && outcome.problems).toHaveLength(100);
  const count = outcome.ok ? 0 : (outcome.problemCount ?? 0);
  expect([count >= 10_000, count < 10_010]).toEqual([true, true]);
});

test("the good orders behind ten thousand bad ones are read if only bad ones are left out", () => {
  const good = { number: "last", dueDate: "2026-01-01", requests: [{ itemNumber: "a", requestedAmount: 1 }] };
  const text = `[${Array(12_000).fill("{}").join(",")},${JSON.stringify(good)}]`;
  const outcome = workOrderFileOutcome(upload(text, 0), { ...settings, badRecords: "quarantine" });
  expect(outcome).toMatchObject({
    ok: true,
    data: [{ number: "last" }],
    message: { values: { good: 1, bad: 12_000 } },
  });
});

test("ambiguous numbers are no problems if a cell behind ten thousand of them decides how they are read", () => {
  const rows = Array.from({ length: 11_000 }, (_, nth) => `${nth};2026-01-01;a;1.000\n`);
  const outcome = workOrderFileOutcome(upload(`${file}${rows.join("")}x;2026-01-01;a;12.345.000\n`), settings);
  expect(outcome).toMatchObject({ ok: true });
});

test.each([
  ["orders", "\u00c41", "A\u03081", "a1", "a2"],
  ["items", "O1", "O2", "sch\u00e4kel", "scha\u0308kel"],
])("two %s whose numbers look the same are two, and the text says so", (_what, one, other, item, otherItem) => {
  const rows = [`${one};2026-01-01;${item};1`, `${other};2026-01-01;${otherItem};2`];
  const outcome = workOrderFileOutcome(
    upload(["number;dueDate;itemNumber;requestedAmount", ...rows].join("\n")),
    settings,
  );
  expect(outcome).toMatchObject({ ok: true, data: [{ number: one }, { number: other }] });
  for (const language of languages) {
    const text = outcome.message === undefined ? "" : localise(outcome.message, language);
    expect(text).toContain([one, item].find((number) => /[^a-zO0-9]/.test(number)) ?? "");
    expect(text).not.toMatch(/\{/);
  }
});
