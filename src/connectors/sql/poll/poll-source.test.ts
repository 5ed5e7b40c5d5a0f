import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openContext } from "../../../../test/support/connectors/open-context.ts";
import { onEveryDatabase } from "../../../../test/support/connectors/sql-databases.ts";
import { clearErp, createErp, orderMap } from "../../../../test/support/connectors/sql-erp.ts";
import { silentLog } from "../../../kit/log.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers } from "../../../kit/time/timers.ts";
import type { OpenConnector } from "../../../sdk/connector.ts";
import type { Batch, Intake, RunningSource } from "../../../sdk/intake.ts";
import { sql } from "../connector.ts";
import type { SqlOptions } from "../options.ts";

const poll: NonNullable<SqlOptions["poll"]>[number] = {
  topic: "workOrders",
  everySeconds: 30,
  sql: "SELECT o.order_no, o.customer, o.due, o.changed, l.line_no, l.item, l.qty FROM orders o JOIN order_lines l ON l.order_no = o.order_no WHERE o.changed >= :since ORDER BY o.changed, l.line_no",
  since: { column: "changed", overlapSeconds: 60 },
  fold: { by: "order_no" },
  map: orderMap,
};

await onEveryDatabase("a table that is polled", (database) => {
  const notes = new Map<string, string>();
  let connector: OpenConnector | undefined;
  let running: RunningSource | undefined;
  const found: Batch[] = [];
  const warnings: string[] = [];
  const wakers: (() => void)[] = [];
  const happened = () => new Promise<void>((resolve) => wakers.push(resolve));
  const wake = () => {
    for (const resolve of wakers.splice(0)) resolve();
  };
  const log = {
    ...silentLog,
    warn: (_details: object, text: string) => {
      warnings.push(text);
      wake();
    },
  };
  const taken: Intake = async (one) => {
    found.push(one);
    wake();
    return { ids: [], unchanged: 0, bad: [] };
  };
  const connectorState = {
    read: (key: string) => notes.get(key),
    write: async (key: string, text: string) => {
      notes.set(key, text);
      wake();
    },
  };

  const start = async (intake: Intake = taken, given: Partial<typeof poll> = {}) => {
    const clock = manualClock(Date.UTC(2026, 1, 1, 12));
    const timers = manualTimers(clock);
    const options = { ...database.options(), poll: [{ ...poll, ...given }] };
    connector = await sql.open(options, openContext({ clock, timers, connectorState, log }));
    running = connector.source?.start(intake);
    /** The database answers in real time; this waits for the effect of its answer. */
    const turn = async (isOver: () => boolean) => {
      await timers.pass(0);
      while (!isOver()) await happened();
      await timers.settle();
    };
    return { clock, timers, turn };
  };
  const numbers = () => found.map(({ elements }) => elements.map((one) => Reflect.get(Object(one), "number")));
  const order = (number: string, changed: string) =>
    Promise.all([
      database.execute(`INSERT INTO orders VALUES ('${number}', 'K', '2026-03-01', NULL, '${changed}', 'open')`),
      database.execute(`INSERT INTO order_lines VALUES ('${number}', 1, 'i1', 5), ('${number}', 2, 'i2', 1)`),
    ]);

  beforeAll(() => createErp(database));
  beforeEach(async () => {
    notes.clear();
    found.length = 0;
    warnings.length = 0;
    await clearErp(database);
    await order("A1", "2026-02-01 10:00:00");
    await order("A2", "2026-02-01 10:05:00.5");
  });
  afterEach(async () => {
    await running?.stop();
    await connector?.close();
    running = undefined;
    connector = undefined;
  });

  test("hands over mapped orders and notes how far it has come", async () => {
    const { turn } = await start();
    await turn(() => notes.size > 0);
    expect(numbers()).toEqual([["A1", "A2"]]);
    expect(found[0]).toMatchObject({ topic: "workOrders", badRecords: "quarantine" });
    expect(found[0]?.elements[0]).toMatchObject({ requests: [{ itemNumber: "i1", requestedAmount: 5 }, {}] });
    expect(found[0]?.sourceOf?.("requests[1].requestedAmount")).toBe("lines.qty");
    expect([...notes.values()][0]).toMatch(/^2026-02-01 10:05:00\.5/);
  });

  test("with badRecords: refuse it does not continue after a bad record", async () => {
    const refusing: Intake = async (one) => {
      found.push(one);
      wake();
      return { ids: [], unchanged: 0, bad: [{ index: 0, problems: [] }] };
    };
    const { turn } = await start(refusing, { badRecords: "refuse" });
    await turn(() => warnings.length > 0);
    expect(found[0]).toMatchObject({ badRecords: "refuse" });
    expect(notes.size).toBe(0);
  });

  test("continues after a restart where it was, minus the overlap", async () => {
    const first = await start();
    await first.turn(() => notes.size > 0);
    await running?.stop();
    await connector?.close();
    const { turn } = await start();
    await turn(() => found.length > 1);
    expect(numbers()).toEqual([["A1", "A2"], ["A2"]]);
  });

  test("starts again with another statement: it must not continue where another one stopped", async () => {
    const first = await start();
    await first.turn(() => notes.size > 0);
    await running?.stop();
    await connector?.close();
    const { turn } = await start(taken, { sql: `${poll.sql} -- changed` });
    await turn(() => found.length > 1);
    expect(numbers()[1]).toEqual(["A1", "A2"]);
  });

  test("polls at its interval, and finds late rows within the overlap", async () => {
    const { timers, turn } = await start();
    await turn(() => notes.size > 0);
    await order("LATE", "2026-02-01 10:05:00.1");
    await timers.settle();
    await timers.pass(30_000);
    await turn(() => found.length > 1);
    expect(numbers()[1]).toEqual(["LATE", "A2"]);
  });

  test("does not advance if nothing could be stored, and reads the same rows again", async () => {
    let isFull = true;
    const { timers, turn } = await start(async (one) => {
      found.push(one);
      return isFull ? { notStored: "full" } : { ids: [], unchanged: 0, bad: [] };
    });
    await turn(() => warnings.length > 0);
    expect(notes.size).toBe(0);
    isFull = false;
    await timers.pass(30_000);
    await turn(() => notes.size > 0);
    expect(numbers()).toEqual([
      ["A1", "A2"],
      ["A1", "A2"],
    ]);
  });

  test("continues polling after a failed statement", async () => {
    await database.execute("ALTER TABLE order_lines RENAME TO order_lines_away");
    const { timers, turn } = await start();
    await turn(() => warnings.length > 0);
    await database.execute("ALTER TABLE order_lines_away RENAME TO order_lines");
    await timers.pass(30_000);
    await turn(() => found.length > 0);
    expect(numbers()).toEqual([["A1", "A2"]]);
  });

  test("a row with a time in the future does not stop the poll: it continues from now, with one warning", async () => {
    await order("WRONG", "2031-01-01 00:00:00");
    const { timers, turn } = await start();
    await turn(() => notes.size > 1);
    expect([...notes.values()][0]).toBe("2026-02-01 12:00:00");
    await order("A3", "2026-02-01 12:00:10");
    for (let looks = 1; looks < 4; looks++) {
      await timers.pass(30_000);
      await turn(() => found.length > looks);
    }
    expect(numbers()[1]).toEqual(["A3", "WRONG"]);
    expect(warnings.filter((text) => text.includes("time in the future"))).toHaveLength(1);
  });

  test("with such a row it continues from when it asked: rows that came while it stored the others are not missed", async () => {
    await order("WRONG", "2031-01-01 00:00:00");
    let passTime = () => {};
    const { clock, turn } = await start(async (one) => {
      passTime();
      return await taken(one);
    });
    passTime = () => clock.advance({ minutes: 10 });
    await turn(() => notes.size > 1);
    expect([...notes.values()][0]).toBe("2026-02-01 12:00:00");
  });

  test("rows that were committed late with an older time are found by a full comparison, and logged", async () => {
    let known: readonly unknown[] = [];
    const { timers, turn } = await start(
      async (one) => {
        found.push(one);
        const fresh = one.elements.map((element) => JSON.stringify(element)).filter((text) => !known.includes(text));
        known = [...known, ...fresh];
        wake();
        return { ids: fresh.map((_, index) => `evt_${index}`), unchanged: one.elements.length - fresh.length, bad: [] };
      },
      { compareEveryHours: 0.05 },
    );
    await turn(() => notes.size > 1);
    await order("LATE", "2026-01-15 00:00:00");
    await timers.pass(30_000);
    await turn(() => found.length > 1);
    expect(numbers().flat()).not.toContain("LATE");
    const before = found.length;
    // One poll at a time: advancing a whole hour at once would also exceed the time limit of a statement.
    const aPollApart = { timeout: 60_000, interval: 250 };
    await vi.waitFor(async () => {
      await timers.pass(30_000);
      expect(warnings.some((text) => text.includes("full comparison found"))).toBe(true);
    }, aPollApart);
    expect(numbers().slice(before).flat()).toContain("LATE");
    expect(numbers().slice(before)).toContainEqual(["LATE", "A1"]);
  });

  test("a poll that was read counts as working before the comparison after it is over", async () => {
    const told: string[] = [];
    const intake = Object.assign(
      async (one: Batch) => {
        if (one.rereads !== "never" && one.rereads?.isComparison) told.push("compared");
        return await taken(one);
      },
      { sourceResult: (_part: string, result: string) => void told.push(result) },
    );
    const { timers, turn } = await start(intake, { compareEveryHours: 0.05 });
    await turn(() => notes.size > 1);
    await order("LATE", "2026-01-15 00:00:00");
    const aPollApart = { timeout: 60_000, interval: 250 };
    await vi.waitFor(async () => {
      await timers.pass(30_000);
      expect(told).toContain("compared");
    }, aPollApart);
    expect(told.slice(0, told.indexOf("compared")).slice(-2)).toEqual(["begun", "worked"]);
  });

  test("a number can say what is new", async () => {
    const byNumber = {
      sql: "SELECT order_no, line_no FROM order_lines WHERE line_no > :since AND order_no = 'A1'",
      since: { column: "line_no", start: 0 },
      fold: { by: "order_no" },
      map: { number: "order_no", dueDate: { value: "2026-01-01" }, requests: { value: [] } },
    };
    const { turn } = await start(taken, byNumber);
    await turn(() => notes.size > 0);
    expect([...notes.values()][0]).toBe("2");
  });

  test("a number of seconds that lies in the future does not stop the poll, with one warning", async () => {
    const seconds = Date.UTC(2026, 1, 1, 11) / 1000;
    const line = (number: string, at: number) =>
      database.execute(`INSERT INTO order_lines VALUES ('${number}', ${at}, 'i', 1)`);
    const bySeconds = {
      sql: "SELECT order_no, line_no FROM order_lines WHERE line_no > :since ORDER BY line_no",
      since: { column: "line_no", start: 1000 },
      fold: { by: "order_no" },
      map: { number: "order_no", dueDate: { value: "2026-01-01" }, requests: { value: [] } },
    };
    await line("C1", seconds);
    await line("WRONG", Date.UTC(2031, 1, 1) / 1000);
    const { timers, turn } = await start(taken, bySeconds);
    await turn(() => notes.size > 1);
    expect([...notes.values()][0]).toBe(String(seconds));
    await line("C2", seconds + 10);
    for (let looks = 1; looks < 4; looks++) {
      await timers.pass(30_000);
      await turn(() => found.length > looks);
    }
    expect(numbers()[1]).toEqual(["C2", "WRONG"]);
    expect(warnings.filter((text) => text.includes("time in the future"))).toHaveLength(1);
  });

  test("large polls are handed over in parts of whole orders", async () => {
    const many = Array.from({ length: 2_400 }, (_, index) => `B${index}`);
    await database.execute(
      `INSERT INTO orders (order_no, due, changed) VALUES ${many.map((one) => `('${one}', '2026-03-01', '2026-01-01')`).join()}`,
    );
    await database.execute(`INSERT INTO order_lines VALUES ${many.map((one) => `('${one}', 1, 'i', 1)`).join()}`);
    const { turn } = await start();
    await turn(() => notes.size > 0);
    expect(found.map(({ elements }) => elements.length)).toEqual([...Array(48).fill(50), 2]);
    const last = found
      .flatMap(({ elements }) => elements)
      .find((one) => Reflect.get(Object(one), "number") === "B2399");
    expect(last).toMatchObject({ requests: [{ itemNumber: "i", requestedAmount: 1 }] });
  });
});
