import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { openSideDatabase } from "../../kit/sqlite/side-database.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { withSource } from "../../mapping/source-record.ts";
import type { MaskSecrets } from "../../operation/record-sent.ts";
import { intakeFile, openQuarantine } from "./open-quarantine.ts";
import type { BadRecord } from "./quarantine.ts";

interface OpenOptions {
  readonly folder?: string;
  readonly maxRecords?: number;
  readonly clock?: ReturnType<typeof manualClock>;
  readonly maskSecrets?: MaskSecrets;
}

function opened(options: OpenOptions = {}) {
  const { folder = temporaryFolder(), maxRecords = 10_000, clock = manualClock(), maskSecrets } = options;
  const database = openSideDatabase(intakeFile, { dataFolder: folder, log: silentLog });
  onTestFinished(() => {
    if (database.isOpen()) database.close();
  });
  const timers = manualTimers(clock);
  const quarantine = openQuarantine({ database, clock, timers, log: silentLog, maxRecords, maskSecrets });
  return { quarantine, database, clock, folder };
}

const noDueDate: BadRecord = {
  source: "erp",
  kind: "workOrders",
  number: "4711",
  origin: "orders.csv",
  problems: [{ field: "dueDate", expected: "present" }],
  sourceOf: (field) => (field === "dueDate" ? "DUE" : undefined),
  raw: { number: "4711", requests: [] },
};

test("an order that is bad again and again is one record with a count, its reasons, its source field and what to do", () => {
  const { quarantine, clock } = opened();
  quarantine.keep(noDueDate);
  const firstSeenAt = clock.now();
  quarantine.flush();
  clock.advance({ minutes: 5 });
  quarantine.keep({ ...noDueDate, raw: { number: "4711", again: true } });
  const { records, total } = quarantine.list({ limit: 10 });
  expect(total).toBe(1);
  expect(records).toMatchObject([
    {
      ...{ source: "erp", kind: "workOrders", number: "4711", origin: "orders.csv", count: 2 },
      problems: [{ field: "dueDate", expected: "present", sourceField: "DUE" }],
      ...{ firstSeenAt, lastSeenAt: clock.now(), fix: expect.stringContaining("Fill DUE (becomes dueDate)") },
    },
  ]);
  expect(quarantine.show(records[0]?.id ?? 0)).toMatchObject({
    raw: '{"number":"4711","again":true}',
    isRawCut: false,
  });
});

test("records outlive a restart, and a good version of the same source and kind lets one go", () => {
  const { quarantine, database, folder } = opened();
  quarantine.keep(noDueDate);
  quarantine.keep({ ...noDueDate, number: "4712" });
  quarantine.flush();
  database.close();
  const later = opened({ folder }).quarantine;
  expect(later.count()).toBe(2);
  later.release("shop", "workOrders", "4711");
  later.release("erp", "items", "4711");
  expect(later.holds("erp", "workOrders", "4711")).toBe(true);
  later.release("erp", "workOrders", "4711");
  expect(later.list({ limit: 10 }).records.map(({ number }) => number)).toEqual(["4712"]);
});

test("a record is dropped only with a name and a reason beside it, and comes back when it is given again", () => {
  const { quarantine, database } = opened();
  quarantine.keep(noDueDate);
  const [record] = quarantine.list({ limit: 1 }).records;
  expect(quarantine.drop(record?.id ?? 0, { operator: "kim", reason: "test order" })).toMatchObject({ number: "4711" });
  expect(quarantine.count()).toBe(0);
  expect(quarantine.drop(record?.id ?? 0, { operator: "kim", reason: "again" })).toBeNull();
  expect(database.statement("SELECT operator, reason, number FROM quarantine_decision").all()).toEqual([
    { operator: "kim", reason: "test order", number: "4711" },
  ]);
  quarantine.keep(noDueDate);
  expect(quarantine.list({ limit: 1 }).records).toMatchObject([{ count: 1 }]);
});

test("without a number, two different records do not hide each other", () => {
  const { quarantine } = opened();
  for (const raw of [{ a: 1 }, { a: 2 }, { a: 1 }]) quarantine.keep({ ...noDueDate, number: "", raw });
  expect(quarantine.list({ limit: 10 }).records.map(({ count }) => count)).toEqual([1, 2]);
});

test("the longest unseen records make room, and nothing of a record grows without bound", () => {
  const { quarantine, clock } = opened({ maxRecords: 3 });
  for (const number of ["1", "2", "3", "1", "4"]) {
    quarantine.keep({ ...noDueDate, number });
    quarantine.flush();
    clock.advance({ seconds: 1 });
  }
  expect(quarantine.list({ limit: 10 }).records.map(({ number }) => number)).toEqual(["4", "3", "1"]);

  const problems = Array.from({ length: 5000 }, (_, index) => ({
    field: `requests[${index}].x`,
    expected: "text" as const,
  }));
  quarantine.keep({ ...noDueDate, number: "9".repeat(10_000), problems, raw: { text: "ß".repeat(200_000) } });
  const [record] = quarantine.list({ limit: 1 }).records;
  const detail = quarantine.show(record?.id ?? 0);
  expect(Buffer.byteLength(detail?.raw ?? "")).toBeLessThanOrEqual(64 * 1024);
  expect(detail).toMatchObject({ isRawCut: true, problemCount: 5000 });
  expect(detail?.problems).toHaveLength(100);
  expect(detail?.fix.length).toBeLessThan(300);
});

test("a mapped record is kept with the record it was made from, and says which place each member came from", () => {
  const { quarantine } = opened();
  const source = (record: unknown) => ({ record, sourceOf: (field: string) => (field === "dueDate" ? "DUE" : "NO") });
  const { sourceOf: _sourceOf, ...bad } = noDueDate;
  const raw = withSource({ number: "4711" }, source({ NO: 4711n, DUE: "soon", CUSTOMER: "Acme" }));
  quarantine.keep({ ...bad, raw });
  quarantine.keep({ ...bad, number: "1", raw: withSource({}, source({ NO: "x".repeat(100_000) })) });
  quarantine.keep({ ...bad, number: "2", raw: { number: "2" } });
  const [unmapped, long, mapped] = quarantine.list({ limit: 10 }).records.map(({ id }) => quarantine.show(id));
  expect(mapped).toMatchObject({
    ...{ sourceRecord: '{"NO":4711,"DUE":"soon","CUSTOMER":"Acme"}', isSourceRecordCut: false },
    problems: [{ field: "dueDate", sourceField: "DUE", sourcePlaces: ["DUE"] }],
  });
  expect(Buffer.byteLength(long?.sourceRecord ?? "")).toBe(64 * 1024);
  expect(long).toMatchObject({ isSourceRecordCut: true, isRawCut: false, problems: [{ sourcePlaces: [] }] });
  expect(unmapped).toMatchObject({ sourceRecord: null, isSourceRecordCut: false });
});

test("a file of an earlier version opens, and its records have no source record", () => {
  const { quarantine, database, folder } = opened();
  quarantine.keep(noDueDate);
  quarantine.flush();
  database.exec(
    "ALTER TABLE quarantine DROP COLUMN source_record; ALTER TABLE quarantine DROP COLUMN is_source_record_cut",
  );
  database.close();
  const later = opened({ folder }).quarantine;
  const [record] = later.list({ limit: 1 }).records;
  expect(later.show(record?.id ?? 0)).toMatchObject({ number: "4711", sourceRecord: null, isSourceRecordCut: false });
});

test("pages cover every record once, whatever the filter", () => {
  const given = fc.array(
    fc.record({ source: fc.constantFrom("a", "b"), number: fc.string({ minLength: 1, maxLength: 3 }) }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(given, fc.integer({ min: 1, max: 7 }), (records, limit) => {
      const { quarantine, database } = opened({ folder: temporaryFolder() });
      for (const one of records) quarantine.keep({ ...noDueDate, ...one });
      const found: string[] = [];
      let before: number | undefined;
      do {
        const page = quarantine.list({ source: "a", limit, ...(before === undefined ? {} : { before }) });
        found.push(...page.records.map(({ number }) => number));
        before = page.nextBefore ?? undefined;
      } while (before !== undefined);
      const expected = new Set(records.filter(({ source }) => source === "a").map(({ number }) => number));
      expect(found.toSorted()).toEqual([...expected].toSorted());
      database.close();
    }),
    { numRuns: 10 },
  );
});

test("the record of the external system is kept without secrets, known ones and those that their names tell", () => {
  const { quarantine } = opened({ maskSecrets: (text) => text.replaceAll("s3cret-of-config", "***") });
  const record = { No: "4711", echoed: "key s3cret-of-config", cart_token: "c0ffee-1234" };
  const raw = withSource({ number: "4711" }, { record, sourceOf: () => undefined });
  quarantine.keep({ ...noDueDate, raw });
  const [{ id } = { id: 0 }] = quarantine.list({ limit: 1 }).records;
  expect(JSON.parse(quarantine.show(id)?.sourceRecord ?? "")).toEqual({
    ...{ No: "4711", echoed: "key ***", cart_token: "***" },
  });
});

test("where the record of the external system is cut, no part of a secret is left", () => {
  const secret = "s3cret-of-config".repeat(10);
  const mask = (text: string) => text.replaceAll(secret, "***");
  const { quarantine } = opened({ maskSecrets: Object.assign(mask, { longest: secret.length }) });
  const record = { all: `${secret} `.repeat(2_000) };
  quarantine.keep({ ...noDueDate, raw: withSource({ number: "4711" }, { record, sourceOf: () => undefined }) });
  const [{ id } = { id: 0 }] = quarantine.list({ limit: 1 }).records;
  const { sourceRecord, isSourceRecordCut } = quarantine.show(id) ?? {};
  expect(isSourceRecordCut).toBe(true);
  expect(sourceRecord).not.toContain("s3cret");
});

test("on a full disk nothing is thrown and what could not be written is counted; it goes on when there is space again", () => {
  const { quarantine, database } = opened();
  quarantine.keep(noDueDate);
  quarantine.flush();
  const long = { ...noDueDate, number: "4712", raw: { text: "x".repeat(10_000) } };
  // SQLite fails as on a full disk, and rolls back by itself.
  database.exec("PRAGMA max_page_count = 1");
  quarantine.keep(long);
  quarantine.flush();
  expect([quarantine.lostCount(), quarantine.count()]).toEqual([1, 1]);
  expect(quarantine.holds("erp", "workOrders", "4712")).toBe(false);
  database.exec("PRAGMA max_page_count = 100000");
  quarantine.keep(long);
  quarantine.flush();
  expect([quarantine.lostCount(), quarantine.count()]).toEqual([1, 2]);
});
