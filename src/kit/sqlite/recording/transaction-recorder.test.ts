import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import type { SqlValue } from "../row.ts";
import { type Database, openDatabase } from "../sqlite.ts";

const tables = `
  CREATE TABLE thing (
    seq INTEGER PRIMARY KEY, name TEXT NOT NULL, amount INTEGER NOT NULL DEFAULT 7, note TEXT, bytes BLOB
  ) STRICT;
  CREATE TABLE place (lane TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (key, lane)) STRICT, WITHOUT ROWID;
  CREATE TABLE count (key TEXT PRIMARY KEY, amount INTEGER NOT NULL, note TEXT) STRICT, WITHOUT ROWID;
  CREATE TABLE named (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE loose (id INTEGER PRIMARY KEY, value);
  CREATE TABLE measure (id INTEGER PRIMARY KEY, value REAL) STRICT;
  CREATE TABLE rate (rate REAL PRIMARY KEY, note TEXT) STRICT;
  CREATE TABLE unkeyed (value TEXT) STRICT;
  CREATE TABLE followed (id INTEGER PRIMARY KEY, value TEXT) STRICT;
  CREATE TRIGGER on_followed AFTER INSERT ON followed BEGIN UPDATE measure SET value = value + 1; END;`;
const names = ["thing", "place", "count", "named", "loose", "measure", "rate", "followed"];

function opened(): Database {
  const database = openDatabase(":memory:");
  database.exec(tables);
  database.exec(
    "INSERT INTO measure VALUES (1, 1.5); INSERT INTO thing (seq, name) VALUES (1, 'first'), (2, 'second')",
  );
  return database;
}

const contents = (database: Database) =>
  names.map((name) => database.statement(`SELECT * FROM ${name} ORDER BY 1, 2`).all());

/** Runs work in a transaction that is recorded here and by SQLite; returns both changesets. */
function bothChangesets(database: Database, work: () => void): readonly [ours: Uint8Array, sqlite: Uint8Array] {
  const whole = database.record();
  const recording = database.recordTransaction();
  database.exec("BEGIN IMMEDIATE");
  work();
  const changesets = [recording.changeset(), whole.changeset()] as const;
  recording.close();
  whole.close();
  database.exec("COMMIT");
  return changesets;
}

/** Whether applying the changeset to a database as it was before makes it what it is now. */
function expectSame(database: Database, work: (database: Database) => void): Uint8Array {
  const copy = opened();
  const [ours] = bothChangesets(database, () => work(database));
  expect(copy.apply(ours)).toBe(true);
  expect(contents(copy)).toEqual(contents(database));
  return ours;
}

const insertThing = "INSERT INTO thing (seq, name, note, bytes) VALUES (?, ?, ?, ?)";
const insertPlace = "INSERT INTO place (lane, key, seq) VALUES (?, ?, ?)";
const insertMeasure = "INSERT INTO measure (id, value) VALUES (?, ?)";
const renameThing = "UPDATE thing SET name = ?, note = ? WHERE seq BETWEEN ? AND ?";

const addThing = "UPDATE thing SET amount = amount + ?, note = coalesce(?, note) WHERE seq BETWEEN ? AND ?";
const countUp = `INSERT INTO count (key, amount) VALUES (?, ?)
  ON CONFLICT (key) DO UPDATE SET amount = amount + excluded.amount, note = 'ÄÖ, (again)' WHERE amount < 100`;
const countOnce = "INSERT OR IGNORE INTO count (key, amount, note) VALUES (?, ?, ?)";
const countAgain = "INSERT OR REPLACE INTO count (key, amount) VALUES (?, ?)";

const values: readonly (readonly [name: string, sql: string, ...values: SqlValue[]])[] = [
  ["a row with a default", insertThing, 5, "five", null, null],
  ["a text beyond Latin-1, and bytes", insertThing, 6, "größer 𝄞", "a\0b", new Uint8Array([0, 255, 7])],
  ["a long text", insertThing, 7, "x".repeat(70_000), "y".repeat(200), new Uint8Array(20_000)],
  ["a text of 16,384 letters", insertThing, 7, "x".repeat(16_384), "y".repeat(128), new Uint8Array(127)],
  ["the largest numbers", insertThing, Number.MAX_SAFE_INTEGER, "", "", new Uint8Array()],
  ["the lowest numbers", insertThing, Number.MIN_SAFE_INTEGER, "", null, null],
  ["a number just below zero", insertThing, -1, "", null, null],
  ["a number of 32 bits", insertThing, 2 ** 31, "", null, null],
  ["a number of 33 bits, below zero", insertThing, -(2 ** 32) - 5, "", null, null],
  ["a key of two columns, in another order", insertPlace, "order-1", "k", 12],
  ["an updated row", renameThing, "other", "noted", 1, 1],
  ["an updated row of which one column stays", renameThing, "first", "noted", 1, 1],
  ["an update that changes nothing", renameThing, "first", null, 1, 1],
  ["an update of no row", renameThing, "other", null, 50, 60],
  ["an update by an expression", addThing, 3, null, 1, 1],
  ["an update by an expression that changes nothing", addThing, 0, null, 1, 2],
  ["an update by an expression of no row", addThing, 3, "noted", 50, 60],
  ["an update to a number that JavaScript cannot hold", addThing, 2n ** 60n, null, 1, 1],
  ["an update to half a character, which SQLite replaces", addThing, 1, "\ud800", 2, 2],
  [
    "an update by a row of another table",
    "UPDATE thing SET note = (SELECT name FROM thing WHERE seq = ?) WHERE seq = ?",
    2,
    1,
  ],
  [
    "an update whose texts look like statements",
    "UPDATE thing SET note = ' WHERE ,(', amount = ? WHERE name <> 'x = (' AND seq = ?",
    3,
    1,
  ],
  ["a row that is inserted or added to", countUp, "a", 5],
  ["a row that is inserted unless it exists", countOnce, "a", 5, "größer"],
  ["a row that is inserted or replaced", countAgain, "a", 5],
  ["a deletion that finds nothing", "DELETE FROM thing WHERE seq = ?", 50],
  ["a deletion", "DELETE FROM thing WHERE seq = ?", 1],
  ["a real number", insertMeasure, 5, 1.25],
  ["a whole number where real ones are", insertMeasure, 5, 7],
  ["the largest real number", insertMeasure, 5, Number.MAX_VALUE],
  ["an infinite number", insertMeasure, 5, Number.NEGATIVE_INFINITY],
  ["a zero below zero", insertMeasure, 5, -0],
  ["what is not a number", insertMeasure, 5, Number.NaN],
  ["no number", insertMeasure, 5, null],
  ["a large whole number where real ones are", insertMeasure, 5, 2n ** 60n],
  ["a real number that is changed", "UPDATE measure SET value = ? WHERE id = ?", 0.1, 1],
  ["a real number that stays", "UPDATE measure SET value = ? WHERE id = ?", 1.5, 1],
  ["a real number that is added to", "UPDATE measure SET value = value + ? WHERE id = ?", 0.1, 1],
  ["half a character, which SQLite replaces", insertThing, 5, "\ud800", null, null],
  ["a table with a trigger", "INSERT INTO followed (id, value) VALUES (?, ?)", 1, "x"],
  ["a large whole number", insertThing, 2n ** 60n, "large", null, null],
];

for (const [name, sql, ...given] of values) {
  test(`a transaction is recorded as SQLite records it: ${name}`, () => {
    const database = opened();
    const [ours, sqlite] = bothChangesets(database, () => void database.statement(sql).run(...given));
    expect(Buffer.compare(ours, sqlite)).toBe(0);
  });
}

test("few rows that a statement inserts, updates or finds are recorded without SQLite, also those it cannot know", () => {
  const sqlites = vi.spyOn(DatabaseSync.prototype, "createSession");
  onTestFinished(() => sqlites.mockRestore());
  expectSame(opened(), (database) => {
    database.statement(insertMeasure).run(2, 0.5);
    database.statement(addThing).run(1, "noted", 1, 2);
    for (const amount of [5, 6]) database.statement(countUp).run("a", amount);
    for (const note of ["once", "twice"]) database.statement(countOnce).run("b", 5, note);
    for (const amount of [7, 8]) database.statement(countAgain).run("c", amount);
    database.statement("DELETE FROM thing WHERE seq = ?").run(50);
  });
  // That of the control.
  expect(sqlites).toHaveBeenCalledTimes(1);
});

const transactions: Readonly<Record<string, (database: Database) => void>> = {
  "a row that is inserted and then updated": (database) => {
    database.statement(insertThing).run(5, "five", null, null);
    database.statement(renameThing).run("five again", "noted", 2, 5);
    database.statement(renameThing).run("five again", null, 2, 5);
  },
  "a row that is inserted and then deleted": (database) => {
    database.statement(insertThing).run(5, "five", null, null);
    database.statement("DELETE FROM thing WHERE seq = ?").run(5);
  },
  "rows that only SQLite knows, between others": (database) => {
    database.statement(insertThing).run(5, "five", null, null);
    database.statement("DELETE FROM thing WHERE seq = ?").run(1);
    database.statement(addThing).run(1, "noted", 2, 5);
    database.statement(insertThing).run(6, "six", null, null);
    database.statement(renameThing).run("all", null, 1, 6);
  },
  "rows that are counted up, kept and replaced": (database) => {
    for (const amount of [5, 90, 10, 7]) database.statement(countUp).run("a", amount);
    database.statement(countOnce).run("a", 1, "not stored");
    database.statement(countOnce).run("b", 1, "stored");
    database.statement(countUp).run("b", 1);
    database.statement(countAgain).run("b", 2);
    database.statement(addThing).run(2, null, 1, 2);
    database.statement(addThing).run(2, "twice", 2, 2);
  },
  "a row that replaces others by another key": (database) => {
    const replace = database.statement("INSERT OR REPLACE INTO named (id, name) VALUES (?, ?)");
    replace.run(1, "a");
    replace.run(2, "b");
    replace.run(1, "b");
    const rename = "INSERT INTO named (id, name) VALUES (?, ?) ON CONFLICT DO UPDATE SET name = ?";
    database.statement(rename).run(3, "b", "c");
  },
  "a row that is moved to another key": (database) => {
    database.statement(countUp).run("a", 1);
    const move = "INSERT INTO count (key, amount) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET key = 'moved'";
    database.statement(move).run("a", 2);
    database.statement("UPDATE count SET key = key || ? WHERE key = ?").run("!", "moved");
  },
  "more rows than are read before and after": (database) => {
    for (let seq = 3; seq < 60; seq++) database.statement(insertThing).run(seq, "many", null, null);
    database.statement(addThing).run(2, null, 1, 50);
    database.statement(addThing).run(2, "few", 1, 5);
  },
  "an expression that numbers its values": (database) => {
    database.statement("UPDATE thing SET amount = amount + ?2 WHERE seq = ?1", 2).run(1, 40);
    database.statement("UPDATE thing /* ? */ SET amount = amount + ? WHERE seq = ?", 2).run(1, 2);
  },
  "an upsert whose key is not given": (database) => {
    const insert = database.statement("INSERT INTO named (id, name) VALUES (?, ?) ON CONFLICT (id) DO NOTHING");
    insert.run(null, "numbered");
    insert.run(1, "numbered");
  },
  "a statement that returns the row it wrote": (database) => {
    database.statement(insertPlace).run("a", "b", 1);
    database.statement("INSERT INTO thing (name) VALUES (?) RETURNING seq").get("numbered");
    database.statement("INSERT INTO thing (name) VALUES (?) RETURNING seq").all("numbered");
    for (const _ of database.statement("INSERT INTO thing (name) VALUES (?) RETURNING seq").iterate("numbered"));
  },
  "an update that returns its rows": (database) => {
    database.statement("UPDATE thing SET name = ? WHERE seq = ? RETURNING seq").run("other", 1);
    database.statement("UPDATE thing SET name = ? WHERE seq = ? RETURNING seq").get("another", 2);
  },
  "an update whose condition has a question mark in a text": (database) => {
    database.statement("UPDATE thing SET note = ? WHERE name <> '?' AND seq = ?", 2).run("noted", 1);
  },
  "a row whose number SQLite gives": (database) => {
    database.statement("INSERT INTO thing (name) VALUES (?)").run("numbered");
    database.statement(insertThing).run(null, "numbered", null, null);
  },
  "a table that is not strict, and ones with real numbers": (database) => {
    database.statement(insertMeasure).run(2, 5);
    database.statement("UPDATE measure SET value = value * ? WHERE id = ?").run(0.1, 2);
    database.statement("INSERT INTO rate (rate, note) VALUES (?, ?)").run(0.5, "half");
    database.statement("INSERT INTO loose (id, value) VALUES (?, ?)").run(1, 5);
    database.statement(insertMeasure).run(3, 5);
  },
  "statements run at once": (database) => {
    database.statement(insertThing).run(5, "five", null, null);
    database.exec("UPDATE thing SET name = 'all'; INSERT INTO thing (seq, name) VALUES (9, 'nine')");
  },
  "a row that could not be inserted": (database) => {
    expect(() => database.statement(insertThing).run(1, "again", null, null)).toThrow(/UNIQUE/);
    database.statement(insertThing).run(5, "five", null, null);
  },
  "a part that was rolled back": (database) => {
    database.statement(insertThing).run(5, "five", null, null);
    database.exec("SAVEPOINT part");
    database.statement(insertThing).run(6, "six", null, null);
    database.exec("ROLLBACK TO part");
    database.statement(insertThing).run(7, "seven", null, null);
  },
};

for (const [name, work] of Object.entries(transactions)) {
  test(`a recorded transaction makes the same rows elsewhere: ${name}`, () => {
    expectSame(opened(), work);
  });
}

test("a transaction without changes, or only of a table without a key, is empty", () => {
  const database = opened();
  const nothing = bothChangesets(database, () => {
    database.statement("SELECT * FROM thing").all();
    database.statement("INSERT INTO unkeyed (value) VALUES (?)").run("x");
  });
  expect(nothing.map(({ length }) => length)).toEqual([0, 0]);
});

test("a row of a temporary table is not recorded as one of the table that has its name", () => {
  const database = opened();
  database.exec("CREATE TEMP TABLE thing (seq INTEGER PRIMARY KEY, name TEXT, note TEXT, bytes BLOB) STRICT");
  const nothing = bothChangesets(database, () => void database.statement(insertThing).run(5, "five", null, null));
  expect(nothing.map(({ length }) => length)).toEqual([0, 0]);
});

test("a transaction that was dropped leaves nothing behind in the next one", () => {
  const database = opened();
  const dropped = database.recordTransaction();
  database.exec("BEGIN IMMEDIATE");
  database.statement(insertThing).run(5, "x".repeat(2_000_000), null, null);
  database.exec("UPDATE thing SET name = 'all'");
  database.exec("ROLLBACK");
  dropped.close();
  const ours = expectSame(database, () => void database.statement(insertThing).run(6, "six", null, null));
  expect(ours.length).toBeLessThan(100);
});

test("a column that a table gets later is recorded, too", () => {
  const database = opened();
  expectSame(database, () => void database.statement(insertThing).run(5, "five", null, null));
  database.exec("ALTER TABLE thing ADD COLUMN place TEXT");
  const [ours, sqlite] = bothChangesets(database, () => void database.statement(insertThing).run(6, "six", null, null));
  expect(Buffer.compare(ours, sqlite)).toBe(0);
});

test("many transactions of all kinds make the same rows elsewhere", () => {
  const database = opened();
  const copy = opened();
  let state = 11;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(state / 2 ** 8) % below;
  };
  const kinds: readonly (() => void)[] = [
    () => database.statement(insertThing).run(3 + next(40), `n${next(5)}`, next(2) === 0 ? null : "note", null),
    () => database.statement(insertPlace).run(`lane ${next(9)}`, `key ${next(9)}`, next(1_000)),
    () => database.statement(renameThing).run(`n${next(5)}`, next(2) === 0 ? null : "note", next(40), next(60)),
    () => database.statement("UPDATE place SET seq = ? WHERE lane = ?").run(next(9), `lane ${next(9)}`),
    () => database.statement(addThing).run(next(3), next(2) === 0 ? null : "added", next(40), next(60)),
    () => database.statement("UPDATE measure SET value = value * ? WHERE id = ?").run(next(9) / 8, 1 + next(2)),
    () => database.statement(countUp).run(`key ${next(5)}`, next(9)),
    () => database.statement(countOnce).run(`key ${next(9)}`, next(9), "once"),
    () => database.statement(countAgain).run(`key ${next(9)}`, next(9)),
    () => database.statement("DELETE FROM thing WHERE seq = ?").run(next(40)),
    () => database.statement("DELETE FROM place WHERE lane = ?").run(`lane ${next(9)}`),
  ];
  for (let round = 0; round < 300; round++) {
    // Few transactions have statements that only SQLite knows.
    const most = next(3) === 0 ? kinds.length : 9;
    const [ours] = bothChangesets(database, () => {
      for (let nth = next(12); nth >= 0; nth--) {
        try {
          kinds[next(most)]?.();
        } catch {
          // The row exists.
        }
      }
    });
    expect(copy.apply(ours)).toBe(true);
  }
  expect(contents(copy)).toEqual(contents(database));
});
