import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Terminal } from "../command.ts";
import { main } from "../main.ts";

const fixtures = resolve(import.meta.dirname, "../../../test/fixtures/files");

async function run(...argv: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const terminal: Terminal = {
    print: (text) => out.push(text),
    complain: (text) => errors.push(text),
    isInteractive: false,
    colour: false,
    env: {},
    cwd: fixtures,
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  const code = await main(["import", ...argv], terminal);
  return { code, out: out.join("\n"), errors: errors.join("\n") };
}

test("a good file is shown with what was detected, its columns and its first orders", async () => {
  const { code, out } = await run("german-excel.csv");
  expect(code).toBe(0);
  expect(out).toMatch(/Encoding\s+windows-1252/);
  expect(out).toMatch(/Delimiter\s+semicolon/);
  expect(out).toMatch(/Decimal sign\s+,\s+\(shown by the file\)/);
  expect(out).toMatch(/Fälligkeit\s+→ dueDate/);
  expect(out).toMatch(/Farbe\s+not used/);
  expect(out).toContain("2 work orders would be imported.");
  expect(out).toMatch(/0001\s+2026-12-31T00:00:00Z\s+2\s+1000 × 00A, 2 × B/);
});

test("a bad file is shown with every error beside its row, and the exit code says so", async () => {
  const { code, out } = await run("with-errors.csv");
  expect(code).toBe(1);
  expect(out).toContain('Row 2, column "requestedAmount", value "2.5": amounts must be whole');
  expect(out).toContain('Row 3, column "dueDate", value "2026-01-02": row 2 says "2026-01-01"');
  expect(out).toContain('Row 3, column "itemNumber", value "1.23E+12": the spreadsheet has shortened this number');
});

test("--json prints the reading and nothing else", async () => {
  const { out, errors } = await run("--json", "german-excel.csv");
  expect(JSON.parse(out)).toMatchObject({ ok: true, records: [{ number: "0001" }, { number: "0002" }] });
  expect(errors).toBe("");
});

test("--items reads items", async () => {
  const { code, out } = await run("--items", "german-excel.csv");
  expect(out).toContain("3 items would be imported.");
  expect(code).toBe(0);
});

test("a missing file is reported in one line with what to do next", async () => {
  const { code, errors } = await run(join("no", "such.csv"));
  expect(code).toBe(1);
  expect(errors).toContain("such.csv cannot be read");
});

test("control characters of a file never reach the terminal", async () => {
  const { out } = await run("steering.csv");
  expect(out).toContain("evil");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test("what a person should look at is said below the records, such as dates that could be read in two ways", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "orders.csv");
  writeFileSync(file, "number;dueDate;itemNumber;requestedAmount\nA1;03.04.30;I1;5\n");
  const { code, out } = await run(file);
  expect(code).toBe(0);
  expect(out).toContain("1 record read. Dates such as 03.04.30 were read with the day first (2030-04-03).");
  expect((await run("german-excel.csv")).out).not.toContain("read. ");
});
