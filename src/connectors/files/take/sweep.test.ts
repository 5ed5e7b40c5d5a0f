import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { onEveryStore, type StoreUnderTest } from "../../../../test/support/connectors/file-stores.ts";
import { openContext } from "../../../../test/support/connectors/open-context.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { type PushTopic, pushRow } from "../../../contract/pushes.ts";
import { validator } from "../../../contract/validate/validator.ts";
import { type Log, silentLog } from "../../../kit/log.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers, systemTimers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import type { Batch, Intake } from "../../../sdk/intake.ts";
import type { FilesOptions, Incoming } from "../options.ts";
import { recordReader } from "../read/record-reader.ts";
import type { FileStore } from "../store/file-store.ts";
import { openStore } from "../store/open-store.ts";
import { inOrder } from "../store/sftp-session.ts";
import { openSpool } from "../store/spool.ts";
import { createSweep } from "./sweep.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };
const orderCsv = (...numbers: string[]) =>
  ["number;dueDate;itemNumber;requestedAmount", ...numbers.map((number) => `${number};2030-01-31;A-1;2`)].join("\r\n");

/**
 * An intake that does what intakes promise: it checks, recognises known content, and stores all or nothing on request.
 */
function bookkeeper() {
  const known = new Map<string, string>();
  const found: Batch[] = [];
  const written: { topic: PushTopic; element: unknown }[] = [];
  const state = { isFull: false, crashAfter: false };
  const intake: Intake = async (given) => {
    found.push(given);
    if (state.isFull) return { notStored: "full" };
    const checks = validator(pushRow(given.topic).element);
    const placed: { row?: number; element: unknown }[] = given.elements.map((element) => ({ element }));
    for await (const portion of given.portions?.() ?? []) placed.push(...portion);
    const bad = placed.flatMap(({ element, row }, index) =>
      checks.isValid(element)
        ? []
        : [{ index, ...(row === undefined ? {} : { row }), problems: checks.problems(element) }],
    );
    const ids: string[] = [];
    let unchanged = 0;
    if (bad.length > 0 && given.badRecords === "refuse") return { ids, unchanged, bad };
    for (const [index, { element }] of placed.entries()) {
      if (bad.some((one) => one.index === index)) continue;
      const { number, itemNumber } = element as { number?: string; itemNumber?: string };
      const key = `${given.topic} ${number ?? itemNumber}`;
      if (known.get(key) === JSON.stringify(element)) unchanged++;
      else {
        known.set(key, JSON.stringify(element));
        written.push({ topic: given.topic, element });
        ids.push(key);
      }
    }
    if (state.crashAfter) throw new Error("the process ends here");
    return { ids, unchanged, bad };
  };
  const numbers = () => written.map(({ element }) => (element as { number: string }).number);
  return { intake, found, written, numbers, state };
}

interface Setup {
  readonly folder: string;
  readonly options: Pick<FilesOptions, "location" | "sftp">;
}

function sweeper(
  { folder, options }: Setup,
  { log = silentLog, ...given }: Partial<Incoming> & { readonly log?: Log } = {},
  instance = "aaaa-1111",
  store: FileStore = openStore(options, systemTimers),
  largeFrom?: number,
) {
  onTestFinished(() => store.close());
  const clock = manualClock();
  const { pass, passed } = manualTimers(clock);
  const incoming: Incoming = { topic: "workOrders", settleSeconds: 0, ...given };
  const reader = recordReader(incoming, dates);
  const language = "en" as const;
  const spoolFolder = join(temporaryFolder(), "spool");
  const spool = openSpool(store, spoolFolder, largeFrom);
  const { connectorState } = openContext();
  const rest = { store, spool, clock, passed, connectorState, log, maxBytes: 2 ** 20, language, instance };
  const sweep = createSweep({ ...rest, isStopping: () => false, incoming, reader });
  return {
    sweep,
    clock,
    pass,
    spooled: () => names(spoolFolder),
    put: (name: string, text: string) => writeFileSync(join(folder, name), text),
  };
}

/** Whether the file is written again after the crash, and which adapter continues. */
const crashes = [false, true].flatMap((isRewritten) =>
  ["aaaa-1111", "bbbb-2222"].map((instance) => [isRewritten, instance] as const),
);
const names = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
const plainNames = (folder: string) => names(folder).filter((name) => !["done", "error", ".claimed"].includes(name));
const claimed = (folder: string) =>
  names(join(folder, ".claimed")).flatMap((instance) => names(join(folder, ".claimed", instance)));
const reasonIn = (folder: string) => {
  const name = names(join(folder, "error")).find((it) => it.endsWith(".reason.txt"));
  return name === undefined ? "" : readFileSync(join(folder, "error", name), "utf8");
};

describe("a look into the folder", () => {
  onEveryStore((under: StoreUnderTest) => {
    test("imports a complete file and moves it to the done folder, with the time in its name", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      const books = bookkeeper();
      put("orders-1.csv", orderCsv("W-1", "W-2"));
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1", "W-2"]);
      expect(names(join(setup.folder, "done"))).toEqual(["20260105T080000000Z-1111-orders-1.csv"]);
      expect([...plainNames(setup.folder), ...claimed(setup.folder), ...names(join(setup.folder, "error"))]).toEqual(
        [],
      );
    });

    test("leaves a file alone that is still being written, and takes it when it has not changed for a while", async () => {
      const setup = under.fresh();
      const { sweep, put, pass } = sweeper(setup, { settleSeconds: 5 });
      const books = bookkeeper();
      put("orders.csv", "number;dueDate;itemNumber;requ");
      await sweep(books.intake);
      await pass(4_000);
      put("orders.csv", orderCsv("W-1"));
      await sweep(books.intake);
      await pass(4_000);
      await sweep(books.intake);
      expect(books.found).toEqual([]);
      await pass(1_000);
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
    });

    test.each([8, -8])("takes it after the same while if the clock is set by %i days", async (days) => {
      const setup = under.fresh();
      const { sweep, put, clock, pass } = sweeper(setup, { settleSeconds: 5 });
      const books = bookkeeper();
      put("orders.csv", orderCsv("W-1"));
      await sweep(books.intake);
      clock.advance({ days });
      await pass(4_000);
      await sweep(books.intake);
      expect(books.found).toEqual([]);
      await pass(1_000);
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
    });

    test("waits for the marker if one is configured, and removes it", async () => {
      const setup = under.fresh();
      const { sweep, put, pass } = sweeper(setup, { marker: ".done", pattern: "*" });
      const books = bookkeeper();
      put("orders.csv", orderCsv("W-1"));
      await pass(86_400_000);
      await sweep(books.intake);
      expect(books.found).toEqual([]);
      put("orders.csv.done", "");
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
      expect(plainNames(setup.folder)).toEqual([]);
    });

    test("a marker is removed with its file: the next file of the same name needs its own marker", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup, { marker: ".ok" });
      const books = bookkeeper();
      put("orders.csv", orderCsv("W-1"));
      put("orders.csv.ok", "");
      let isNextThere = false;
      // The sender is quick: the next file is complete while the first is being imported.
      const intake: Intake = async (given) => {
        if (!isNextThere) {
          put("orders.csv", orderCsv("W-2"));
          put("orders.csv.ok", "");
        }
        isNextThere = true;
        return await books.intake(given);
      };
      await sweep(intake);
      await sweep(intake);
      expect(books.numbers()).toEqual(["W-1", "W-2"]);
      expect([...plainNames(setup.folder), ...claimed(setup.folder).flat()]).toEqual(["markers"]);
    });

    test("a crash leaves no marker that would make the next file look complete", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup, { marker: ".ok" });
      const books = bookkeeper();
      put("orders.csv", orderCsv("W-1"));
      put("orders.csv.ok", "");
      books.state.crashAfter = true;
      await expect(sweep(books.intake)).rejects.toThrow("the process ends here");
      books.state.crashAfter = false;
      put("orders.csv", "number;dueDate;itemNumber;requ");
      const { sweep: restarted } = sweeper(setup, { marker: ".ok" });
      await restarted(books.intake);
      await restarted(books.intake);
      expect(plainNames(setup.folder)).toEqual(["orders.csv"]);
      expect(names(join(setup.folder, "error"))).toEqual([]);
      put("orders.csv", orderCsv("W-2"));
      put("orders.csv.ok", "");
      await restarted(books.intake);
      expect(books.numbers()).toEqual(["W-1", "W-2"]);
    });

    test("after a crash between claiming a marker and its file, that file is imported, and no later file of the same name", async () => {
      for (const [isRewritten, instance] of crashes) {
        const setup = under.fresh();
        const { put } = sweeper(setup);
        put("orders.csv", orderCsv("W-1"));
        put("orders.csv.ok", "");
        const store = openStore(setup.options, systemTimers);
        onTestFinished(() => store.close());
        let moves = 0;
        const crashing: FileStore = {
          ...store,
          move: async (from, to) => {
            if (++moves > 1) throw new Error("the process ends here");
            return await store.move(from, to);
          },
        };
        const given = { marker: ".ok" };
        await expect(sweeper(setup, given, "aaaa-1111", crashing).sweep(bookkeeper().intake)).rejects.toThrow(
          "ends here",
        );
        expect(plainNames(setup.folder)).toEqual(["orders.csv"]);
        if (isRewritten) put("orders.csv", "number;dueDate;itemNumber;requ");
        const books = bookkeeper();
        // In every second case another adapter continues, an hour later.
        const { sweep, pass } = sweeper(setup, given, instance);
        await sweep(books.intake);
        await pass(61 * 60_000);
        await sweep(books.intake);
        expect(books.numbers()).toEqual(isRewritten ? [] : ["W-1"]);
        expect(plainNames(setup.folder)).toEqual(isRewritten ? ["orders.csv"] : []);
        for (const one of names(join(setup.folder, ".claimed"))) {
          expect(names(join(setup.folder, ".claimed", one, "markers"))).toEqual([]);
        }
      }
    });

    test("refuses a whole file with an error and says row, column, value and what is expected", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      const books = bookkeeper();
      put("orders.csv", `${orderCsv("W-1")}\r\nW-2;2030-01-31;A-1;two`);
      await sweep(books.intake);
      expect(books.written).toEqual([]);
      expect(names(join(setup.folder, "error")).toSorted()).toEqual([
        "20260105T080000000Z-1111-orders.csv",
        "20260105T080000000Z-1111-orders.csv.reason.txt",
      ]);
      expect(reasonIn(setup.folder)).toContain('Row 3, column "requestedAmount", value "two": a whole number above 0');
      expect(reasonIn(setup.folder)).toContain("Nothing was imported.");
    });

    test.each([1, Number.POSITIVE_INFINITY])(
      "a bad file whose reasons cannot be written (%f times) is refused all the same, and the files behind it are imported",
      async (times) => {
        const setup = under.fresh();
        const store = openStore(setup.options, systemTimers);
        let left = times;
        const full: FileStore = {
          ...store,
          write: async (place, bytes) => {
            if (left-- > 0) throw new Fault("unreachable", "no space left on device");
            await store.write(place, bytes);
          },
        };
        const logged: unknown[] = [];
        const log = { ...silentLog, error: (fields: unknown) => logged.push(fields) };
        const { sweep, put } = sweeper(setup, { log }, "aaaa-1111", full);
        const books = bookkeeper();
        put("1.csv", `${orderCsv("W-1")}\r\nW-2;2030-01-31;A-1;two`);
        put("2.csv", orderCsv("W-3"));
        await sweep(books.intake);
        expect(books.numbers()).toEqual(["W-3"]);
        expect(claimed(setup.folder)).toEqual([]);
        expect(names(join(setup.folder, "error"))).toContain("20260105T080000000Z-1111-1.csv");
        const reasons = times === 1 ? reasonIn(setup.folder) : JSON.stringify(logged);
        expect(reasons).toContain("a whole number above 0");
      },
    );

    test.each(["done", "error"])(
      "files that the folder %s does not take hold up no others, are read once, and get there when it takes them again",
      async (folder) => {
        const setup = under.fresh();
        const store = openStore(setup.options, systemTimers);
        const state = { isRefusing: true };
        const refusing: FileStore = {
          ...store,
          move: async (from, to) => {
            if (state.isRefusing && to.folder === folder) throw new Fault("unreachable", `${folder} takes no file`);
            return await store.move(from, to);
          },
        };
        const { sweep, put, clock } = sweeper(setup, {}, "aaaa-1111", refusing);
        const books = bookkeeper();
        const text = { done: orderCsv("W-1"), error: `${orderCsv("W-1")}\r\nW-2;2030-01-31;A-1;two` }[folder] ?? "";
        put(`${"1".repeat(251)}.csv`, text);
        put("2.csv", text.replaceAll("W-1", "W-3"));
        const other = folder === "done" ? `${orderCsv("W-4")}\r\nW-5;2030-01-31;A-1;two` : orderCsv("W-4");
        put("3.csv", other);
        for (let nth = 1; nth <= 3; nth++) {
          await expect(sweep(books.intake)).rejects.toThrow(`files cannot be moved to "${folder}"`);
          clock.advance({ seconds: 10 });
        }
        const read = books.found.length;
        expect(plainNames(setup.folder)).toEqual([]);
        expect(claimed(setup.folder)).toHaveLength(2);
        expect(names(join(setup.folder, folder === "done" ? "error" : "done")).length).toBeGreaterThan(0);
        state.isRefusing = false;
        await sweep(books.intake);
        expect(claimed(setup.folder)).toEqual([]);
        const files = names(join(setup.folder, folder)).filter((name) => !name.endsWith(".reason.txt"));
        expect(files.map((name) => name.replace(/^.*-1+(?=.csv)/, "").slice(-5)).sort()).toEqual([".csv", "2.csv"]);
        // The same name, so that a file and its reasons are found together.
        const reasons = names(join(setup.folder, "error")).filter((name) => name.endsWith(".reason.txt"));
        expect(reasons).toHaveLength(folder === "done" ? 1 : 2);
        expect(books.found).toHaveLength(read);
        expect(read).toBeLessThanOrEqual(3);
      },
    );

    test("files that another adapter could not move and left behind are moved after an hour", async () => {
      const setup = under.fresh();
      const store = openStore(setup.options, systemTimers);
      const refusing: FileStore = {
        ...store,
        move: async (from, to) => {
          if (to.folder === "done") throw new Fault("unreachable", "done takes no file");
          return await store.move(from, to);
        },
      };
      const gone = sweeper(setup, {}, "bbbb-2222", refusing);
      const books = bookkeeper();
      gone.put("1.csv", orderCsv("W-1"));
      await expect(gone.sweep(books.intake)).rejects.toThrow('files cannot be moved to "done"');
      const { sweep, pass } = sweeper(setup);
      await sweep(books.intake);
      expect(names(join(setup.folder, "done"))).toEqual([]);
      await pass(3_600_000);
      await sweep(books.intake);
      await sweep(books.intake);
      expect(names(join(setup.folder, "done"))).toEqual(["20260105T080000000Z-2222-1.csv"]);
      expect(claimed(setup.folder)).toEqual([]);
      expect(books.numbers()).toEqual(["W-1"]);
      expect(books.found).toHaveLength(1);
    });

    test("what went wrong in a sweep that was cut short is not told by the next one, in which all goes well", async () => {
      const setup = under.fresh();
      const store = openStore(setup.options, systemTimers);
      const state = { isRefusing: true, isGone: false };
      const failing: FileStore = {
        ...store,
        list: async (folder, isWanted, limit) => {
          if (state.isGone && folder === "") throw new Fault("unreachable", "the server is gone");
          return await store.list(folder, isWanted, limit);
        },
        move: async (from, to) => {
          if (state.isRefusing && to.folder === "done") throw new Fault("unreachable", "done takes no file");
          return await store.move(from, to);
        },
      };
      const { sweep, put } = sweeper(setup, {}, "aaaa-1111", failing);
      const books = bookkeeper();
      put("1.csv", orderCsv("W-1"));
      await expect(sweep(books.intake)).rejects.toThrow('files cannot be moved to "done"');
      state.isGone = true;
      await expect(sweep(books.intake)).rejects.toThrow("the server is gone");
      state.isGone = false;
      state.isRefusing = false;
      expect(await sweep(books.intake)).toBe(false);
      expect(names(join(setup.folder, "done"))).toHaveLength(1);
    });

    test("a server that tells no times, or others than in its list, has its files imported all the same", async () => {
      const setup = under.fresh();
      const store = openStore(setup.options, systemTimers);
      const untimed: FileStore = {
        ...store,
        list: async (folder, isWanted, limit) => {
          const found = await store.list(folder, isWanted, limit);
          return { ...found, files: found.files.map((file) => ({ ...file, modifiedMs: Number.NaN })) };
        },
        find: async (place) => {
          const file = await store.find(place);
          return file && { ...file, modifiedMs: place.name === "1.csv" ? Number.NaN : 1_000 };
        },
      };
      const { sweep, put } = sweeper(setup, {}, "aaaa-1111", untimed);
      const books = bookkeeper();
      put("1.csv", orderCsv("W-1"));
      put("2.csv", orderCsv("W-2"));
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1", "W-2"]);
    });

    test("imports the good records of a file if so configured, and reports the others", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup, { badRecords: "quarantine" });
      const books = bookkeeper();
      const order = (number: string, requestedAmount: unknown) => ({
        ...{ number, dueDate: "2030-01-31", requests: [{ itemNumber: "A", requestedAmount }] },
      });
      put("orders.json", JSON.stringify([order("W-1", 1), order("W-2", 1.5), order("W-3", 3)]));
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1", "W-3"]);
      expect(names(join(setup.folder, "done")).length).toBe(1);
      expect(reasonIn(setup.folder)).toMatch(
        /Imported: 2[\s\S]*Row 2, column "requests\[0\].requestedAmount", value 1.5/,
      );
    });

    test("passes on problems of the mapping, so that the record is quarantined and an operator finds it", async () => {
      const setup = under.fresh();
      const lines = { each: "rows", map: { itemNumber: "item", requestedAmount: "pieces" } };
      const map = { number: "nr", dueDate: { value: "2030-01-31" }, requests: lines };
      const { sweep, put } = sweeper(setup, { badRecords: "quarantine", groupBy: "nr", map });
      const books = bookkeeper();
      put("orders.csv", "nr;item;pieces\r\nW-1;A;1\r\nW-2;A;1.5\r\n");
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
      expect(books.found[0]?.elements[1]).toMatchObject({
        number: "W-2",
        requests: [{ requestedAmount: { problem: expect.stringContaining("1.5") } }],
      });
      expect(reasonIn(setup.folder)).toMatch(/Imported: 1[\s\S]*Row 3.*from rows.pieces.*1\.5/);
    });

    test("a crash between storing and moving stores nothing twice: the claimed file is resumed", async () => {
      const setup = under.fresh();
      const books = bookkeeper();
      const first = sweeper(setup);
      first.put("orders.csv", orderCsv("W-1"));
      books.state.crashAfter = true;
      await expect(first.sweep(books.intake)).rejects.toThrow("ends here");
      expect(claimed(setup.folder)).toEqual(["orders.csv"]);
      books.state.crashAfter = false;
      await sweeper(setup).sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
      expect(books.found.length).toBe(2);
      expect(names(join(setup.folder, "done")).length).toBe(1);
    });

    test("while the adapter cannot store, a claimed file waits, and so does the next file of the same name", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      const books = bookkeeper();
      books.state.isFull = true;
      put("orders.csv", orderCsv("W-1"));
      await sweep(books.intake);
      put("orders.csv", orderCsv("W-2"));
      await sweep(books.intake);
      expect([claimed(setup.folder), plainNames(setup.folder)]).toEqual([["orders.csv"], ["orders.csv"]]);
      books.state.isFull = false;
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1", "W-2"]);
    });

    test.each([
      ["in one piece", undefined],
      ["in portions", 10],
    ])(
      "a file that is read %s says when it was claimed, also when it is read again after an interruption",
      async (_how, largeFrom) => {
        const setup = under.fresh();
        const store = openStore(setup.options, systemTimers);
        let isBroken = true;
        const move: FileStore["move"] = async (from, to) => {
          // Nothing can be changed any more: a file that only its last folder does not take is not read again.
          if (isBroken && from.folder !== "") throw new Fault("unreachable", "there is no such folder");
          return store.move(from, to);
        };
        const { sweep, put, clock } = sweeper(setup, {}, "aaaa-1111", { ...store, move }, largeFrom);
        const books = bookkeeper();
        const start = clock.now();
        put("orders.csv", orderCsv("W-1"));
        await expect(sweep(books.intake)).rejects.toThrow("no such folder");
        isBroken = false;
        clock.advance({ seconds: 10 });
        await sweep(books.intake);
        put("orders.csv", orderCsv("W-2"));
        await sweep(books.intake);
        expect(books.found.map(({ claimedAt }) => (claimedAt ?? 0) - start)).toEqual([0, 0, 10_000]);
        expect(books.found.map(({ rereads }) => rereads)).toEqual(["never", "never", "never"]);
      },
    );

    test("files that a stopped adapter had claimed are imported by another after an hour", async () => {
      const setup = under.fresh();
      const books = bookkeeper();
      const gone = sweeper(setup, {}, "bbbb-2222");
      gone.put("orders.csv", orderCsv("W-1"));
      books.state.isFull = true;
      await gone.sweep(books.intake);
      books.state.isFull = false;
      const { sweep, pass } = sweeper(setup);
      await sweep(books.intake);
      await pass(59 * 60_000);
      await sweep(books.intake);
      expect(books.written).toEqual([]);
      await pass(60_000);
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
      expect(claimed(setup.folder)).toEqual([]);
    });

    test("refuses a file that is too large without reading it, and continues with the others", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      const books = bookkeeper();
      put("a-huge.csv", "");
      truncateSync(join(setup.folder, "a-huge.csv"), 4 * 2 ** 30);
      put("b.csv", orderCsv("W-1"));
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
      expect(reasonIn(setup.folder)).toContain("larger than 1 MiB");
    });

    test("odd names stay in the folder and are shown with their odd characters written out", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      const books = bookkeeper();
      put("-rf \n..\u202Evsc.csv", "what;is;this");
      await sweep(books.intake);
      expect(reasonIn(setup.folder)).toContain("File: -rf \\u{000a}..\\u{202e}vsc.csv\r\n");
      expect(names(join(setup.folder, "error")).length).toBe(2);
      expect(plainNames(setup.folder)).toEqual([]);
    });

    test("neither follows a link nor works in a done folder that leads elsewhere", async () => {
      const setup = under.fresh();
      const outside = temporaryFolder();
      writeFileSync(join(outside, "secret.csv"), orderCsv("SECRET"));
      symlinkSync(join(outside, "secret.csv"), join(setup.folder, "orders.csv"));
      const books = bookkeeper();
      await sweeper(setup).sweep(books.intake);
      expect(books.found).toEqual([]);
      const other = under.fresh();
      symlinkSync(outside, join(other.folder, "done"));
      const { sweep, put } = sweeper(other);
      put("orders.csv", orderCsv("W-1"));
      await expect(sweep(books.intake)).rejects.toThrow(
        /^the folder "done" is needed before anything is imported: .*is a link that leads out of/,
      );
      expect([books.found, names(outside)]).toEqual([[], ["secret.csv"]]);
    });

    test("imports nothing while the folder for finished files cannot be made, and goes on when it can", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup, { pattern: "*.csv", done: "archive/finished" });
      const books = bookkeeper();
      put("orders.csv", orderCsv("W-1"));
      put("archive", "a file in the place of a folder");
      for (let nth = 0; nth < 2; nth++) {
        await expect(sweep(books.intake)).rejects.toThrow(
          '"archive/finished" is needed before anything is imported: making the folder',
        );
      }
      expect([books.found, plainNames(setup.folder)]).toEqual([[], ["archive", "orders.csv"]]);
      rmSync(join(setup.folder, "archive"));
      await sweep(books.intake);
      expect([books.found.length, names(join(setup.folder, "archive/finished")).length]).toEqual([1, 1]);
    });

    test("imports the oldest file first, however many wait: of an order in several files, the last version counts", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup, { pattern: "*.csv" });
      const books = bookkeeper();
      // More files than one sweep imports, in an order that no folder lists them in.
      const count = under.runs > 10 ? 1_300 : 60;
      for (let index = 0; index < count; index++) {
        const name = `${(index * 7919) % 10_007}.csv`;
        put(name, `number;dueDate;itemNumber;requestedAmount\nW-${index % 20};2030-01-31;A-1;${index + 1}`);
        utimesSync(join(setup.folder, name), 1_700_000_000 + index, 1_700_000_000 + index);
      }
      while (await sweep(books.intake));
      const last = new Map(
        books.written.map(({ element }) => {
          const { number, requests } = element as { number: string; requests: { requestedAmount: number }[] };
          return [number, requests[0]?.requestedAmount] as const;
        }),
      );
      const wanted = Array.from({ length: 20 }, (_, order) => {
        const index = count - 1 - ((count - 1 - order) % 20);
        return [`W-${order}`, index + 1] as const;
      });
      expect([...last].sort()).toEqual(wanted.sort());
      expect(books.written).toHaveLength(count);
    });

    test("takes the oldest file first", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      const books = bookkeeper();
      for (const [index, name] of ["c.csv", "a.csv", "b.csv"].entries()) {
        put(name, orderCsv(`W-${index}`));
        utimesSync(join(setup.folder, name), 1_000_000 + index * 10, 1_000_000 + index * 10);
      }
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-0", "W-1", "W-2"]);
    });

    test("a file that is replaced while older ones are imported waits for its new turn", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      const books = bookkeeper();
      for (const [index, name] of ["1.csv", "2.csv", "3.csv"].entries()) {
        put(name, orderCsv(`W-${index}`));
        utimesSync(join(setup.folder, name), 1_000_000 + index * 10, 1_000_000 + index * 10);
      }
      let isReplaced = false;
      const intake: Intake = async (batch) => {
        if (!isReplaced) put("2.csv", orderCsv("W-2", "W-later"));
        isReplaced = true;
        return books.intake(batch);
      };
      await sweep(intake);
      expect(books.numbers()).toEqual(["W-0", "W-2"]);
      await sweep(intake);
      expect(books.numbers()).toEqual(["W-0", "W-2", "W-later"]);
    });

    test("a file that is being written again while older ones are imported waits until it is complete", async () => {
      const setup = under.fresh();
      const { sweep, put, pass } = sweeper(setup, { settleSeconds: 5 });
      const books = bookkeeper();
      for (const [index, name] of ["1.csv", "2.csv"].entries()) {
        put(name, orderCsv(`W-${index}`));
        utimesSync(join(setup.folder, name), 1_000_000 + index, 1_000_000 + index);
      }
      const intake: Intake = async (batch) => {
        if (books.found.length === 0) put("2.csv", orderCsv("W-8"));
        return books.intake(batch);
      };
      await sweep(intake);
      await pass(5_000);
      await sweep(intake);
      expect(books.numbers()).toEqual(["W-0"]);
      put("2.csv", orderCsv("W-8", "W-9"));
      await sweep(intake);
      await pass(5_000);
      await sweep(intake);
      expect(books.numbers()).toEqual(["W-0", "W-8", "W-9"]);
    });

    test("a missing folder is reported, and files are imported as soon as it exists", async () => {
      const setup = under.fresh();
      const { sweep } = sweeper(setup, { folder: "in" });
      const books = bookkeeper();
      const error = await sweep(books.intake).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Fault);
      expect(String(error)).toContain("no such folder");
      mkdirSync(join(setup.folder, "in"));
      writeFileSync(join(setup.folder, "in", "a.csv"), orderCsv("W-1"));
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
    });

    test("two adapters import each file exactly once, however writer and polls interleave", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom("write" as const, "one" as const, "two" as const), { maxLength: 10 }),
          async (steps) => {
            const setup = under.fresh();
            const books = bookkeeper();
            const one = sweeper(setup, {}, "aaaa-1111");
            const two = sweeper(setup, {}, "bbbb-2222");
            const looks: Promise<unknown>[] = [];
            let written = 0;
            // Each adapter runs one sweep at a time, as in operation.
            const looksOf = { one: inOrder(), two: inOrder() };
            const look = (who: "one" | "two") => {
              const { sweep } = who === "one" ? one : two;
              looks.push(looksOf[who](() => sweep(books.intake)));
            };
            for (const step of steps) {
              if (step === "write") one.put(`f${written}.csv`, orderCsv(`W-${written++}`));
              else look(step);
              // Lets the running sweeps make some progress.
              await new Promise((resolve) => setImmediate(resolve));
            }
            await Promise.all(looks);
            look("one");
            look("two");
            await Promise.all(looks);
            expect(books.found.length).toBe(written);
            expect(books.numbers().toSorted()).toEqual(
              Array.from({ length: written }, (_, index) => `W-${index}`).toSorted(),
            );
            expect([...plainNames(setup.folder), ...claimed(setup.folder)]).toEqual([]);
          },
        ),
        { numRuns: under.runs },
      );
    });
  });
});

test("files that another adapter could not move do not delay the one that it had not finished", async () => {
  const folder = temporaryFolder();
  const claims = join(folder, ".claimed", "bbbb-2222-workOrders");
  mkdirSync(claims, { recursive: true });
  for (let nth = 0; nth < 1_100; nth++) writeFileSync(join(claims, `.error-${nth}.csv`), "");
  writeFileSync(join(claims, "1.csv"), orderCsv("W-1"));
  utimesSync(join(claims, "1.csv"), new Date(), new Date(Date.now() + 60_000));
  const { sweep, pass } = sweeper({ folder, options: { location: folder } });
  const books = bookkeeper();
  await sweep(books.intake);
  await pass(3_600_000);
  await sweep(books.intake);
  expect(books.numbers()).toEqual(["W-1"]);
});

describe("the reasons beside a refused CSV file", () => {
  onEveryStore((under: StoreUnderTest) => {
    test.each([undefined, 20])(
      "name the columns that were found, used and ignored (held up to %s bytes)",
      async (largeFrom) => {
        const setup = under.fresh();
        const { sweep, put } = sweeper(setup, {}, "aaaa-1111", openStore(setup.options, systemTimers), largeFrom);
        put("orders.csv", "Auftragsnummer;Fällig am;Artikel;Menge;Farbe;\n1;31.1.2030;A;viel;rot;x\n");
        await sweep(bookkeeper().intake);
        expect(reasonIn(setup.folder)).toContain(
          [
            "Columns found: Auftragsnummer; Fällig am; Artikel; Menge; Farbe; (6, without a heading)",
            "Columns used: Auftragsnummer = number; Fällig am = dueDate; Artikel = itemNumber; Menge = requestedAmount",
            "Columns ignored: Farbe; (6, without a heading)",
          ].join("\r\n"),
        );
      },
    );

    test("name them also where a required column is missing", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeper(setup);
      put("orders.csv", "number;itemNumber;Stück;requestedAmount\n1;A;2;2\n");
      await sweep(bookkeeper().intake);
      expect(reasonIn(setup.folder)).toMatch(
        /dueDate[\s\S]*Columns used: number; itemNumber; requestedAmount\r\nColumns ignored: Stück/,
      );
    });
  });
});

describe("a file too large to be held", () => {
  onEveryStore((under: StoreUnderTest) => {
    const sweeperOf = (setup: Setup, given: Partial<Incoming> = {}) =>
      sweeper(setup, given, "aaaa-1111", openStore(setup.options, systemTimers), 40);

    test("is imported like other files, and leaves nothing behind", async () => {
      const setup = under.fresh();
      const { sweep, put, spooled } = sweeperOf(setup);
      const books = bookkeeper();
      put("orders.csv", orderCsv("W-1", "W-2", "W-1"));
      await sweep(books.intake);
      expect(books.found[0]?.elements).toEqual([]);
      expect(books.numbers().toSorted()).toEqual(["W-1", "W-2"]);
      expect(names(join(setup.folder, "done"))).toHaveLength(1);
      expect(spooled()).toEqual([]);
    });

    test("is refused completely for one wrong cell, before anything is passed on", async () => {
      const setup = under.fresh();
      const { sweep, put, spooled } = sweeperOf(setup);
      const books = bookkeeper();
      put("orders.csv", `${orderCsv("W-1")}\r\nW-2;2030-01-31;A-1;two`);
      await sweep(books.intake);
      expect(books.found).toEqual([]);
      expect(reasonIn(setup.folder)).toContain('Row 3, column "requestedAmount", value "two": a whole number above 0');
      expect(spooled()).toEqual([]);
    });

    test("is refused with the rows that could not be mapped, or imported without them if so configured", async () => {
      const lines = { each: "rows", map: { itemNumber: "item", requestedAmount: "pieces" } };
      const map = { number: "nr", dueDate: { value: "2030-01-31" }, requests: lines };
      const csv = "nr;item;pieces\r\nW-1;A;1\r\nW-2;A;1.5\r\nW-3;A;2\r\nW-4;A;3\r\n";
      const strict = under.fresh();
      const books = bookkeeper();
      const refusing = sweeperOf(strict, { groupBy: "nr", map });
      refusing.put("orders.csv", csv);
      await refusing.sweep(books.intake);
      expect(books.written).toEqual([]);
      expect(reasonIn(strict.folder)).toMatch(/Nothing was imported[\s\S]*Row 3.*from rows.pieces.*1\.5/);
      const partial = under.fresh();
      const keeping = sweeperOf(partial, { groupBy: "nr", map, badRecords: "quarantine", where: '= nr != "W-4"' });
      keeping.put("orders.csv", csv);
      await keeping.sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1", "W-3"]);
      expect(reasonIn(partial.folder)).toMatch(/Imported: 2[\s\S]*Row 3.*from rows.pieces.*1\.5/);
    });

    test("is refused if the filter fails on one of its records, and nothing of it is imported", async () => {
      const setup = under.fresh();
      const { sweep, put } = sweeperOf(setup, { badRecords: "quarantine", where: '= number = "W-2" ? "what" : true' });
      const books = bookkeeper();
      put("orders.csv", orderCsv("W-1", "W-2"));
      await sweep(books.intake);
      expect(books.found).toEqual([]);
      expect(reasonIn(setup.folder)).toContain("instead of true or false");
    });

    test("is read as a whole if it is not CSV", async () => {
      const setup = under.fresh();
      const { sweep, put, spooled } = sweeperOf(setup);
      const books = bookkeeper();
      const requests = [{ itemNumber: "A", requestedAmount: 1 }];
      put("orders.json", JSON.stringify([{ number: "W-1", dueDate: "2030-01-31", requests }]));
      await sweep(books.intake);
      expect(books.numbers()).toEqual(["W-1"]);
      expect(spooled()).toEqual([]);
    });
  });
});
