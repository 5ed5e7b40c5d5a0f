import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  onEveryStore,
  onSftp,
  type StoreUnderTest,
  sftpOptions,
} from "../../../../test/support/connectors/file-stores.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import type { FilesOptions } from "../options.ts";
import type { FileStore } from "./file-store.ts";
import { openStore } from "./open-store.ts";
import { openSpool } from "./spool.ts";

const any = () => true;

function opened(options: Pick<FilesOptions, "location" | "sftp">): FileStore {
  const store = openStore(options, systemTimers);
  onTestFinished(() => store.close());
  return store;
}

function fresh({ fresh: make }: StoreUnderTest) {
  const { folder, options } = make();
  return { folder, options, store: opened(options) };
}

describe("every store", () => {
  onEveryStore((under) => {
    test("writes a complete file under its name, replaces it, and leaves no partial file", async () => {
      const { folder, store } = fresh(under);
      await store.write({ folder: "", name: "a.json" }, Buffer.from("one"));
      await store.write({ folder: "", name: "a.json" }, Buffer.alloc(100_000, "2"));
      expect(readdirSync(folder)).toEqual(["a.json"]);
      expect(readFileSync(join(folder, "a.json")).length).toBe(100_000);
    });

    test("reads what it wrote, byte by byte, also above one piece", async () => {
      const { store } = fresh(under);
      const bytes = Buffer.from(Array.from({ length: 1_500_000 }, (_, index) => (index * 7) % 251));
      await store.write({ folder: "", name: "b" }, bytes);
      const read = await store.read({ folder: "", name: "b" }, 2_000_000);
      expect(Buffer.isBuffer(read) && read.equals(bytes)).toBe(true);
      expect(await store.read({ folder: "", name: "b" }, 1_000_000)).toBe("too-large");
      expect(await store.read({ folder: "", name: "none" }, 10)).toBe(null);
    });

    test("names the folder for copies if a large file cannot be copied there, and not the file", async () => {
      const { store } = fresh(under);
      await store.write({ folder: "", name: "large.csv" }, Buffer.alloc(100_000, "2"));
      const occupied = join(temporaryFolder(), "copies");
      writeFileSync(occupied, "");
      const spool = openSpool(store, occupied, 1_000);
      await expect(spool.fetch({ folder: "", name: "large.csv" }, 1_000_000)).rejects.toThrow(
        `copying a large file to "${occupied}" failed`,
      );
      // The connection is still used.
      expect(await store.read({ folder: "", name: "large.csv" }, 1_000_000)).toHaveLength(100_000);
    });

    test("copies a large file without keeping the memory of what is copied", async () => {
      const { store } = fresh(under);
      const bytes = Buffer.from(Array.from({ length: 2_500_000 }, (_, index) => (index * 7) % 251));
      await store.write({ folder: "", name: "c" }, bytes);
      const pieces: { piece: Buffer; isWhole: boolean }[] = [];
      const watched: Pick<FileStore, "pieces"> = {
        pieces: (place, maxBytes, take) =>
          store.pieces(place, maxBytes, (piece) => {
            pieces.push({ piece, isWhole: piece.length === piece.buffer.byteLength });
            return take(piece);
          }),
      };
      const copy = await openSpool(watched, temporaryFolder(), 100_000).fetch({ folder: "", name: "c" }, 3_000_000);
      if (copy === null || copy === "too-large" || Buffer.isBuffer(copy)) throw new Error("the file was not copied");
      expect(readFileSync(copy.path).equals(bytes)).toBe(true);
      // The first piece is kept, to tell what kind of file it is.
      const [first, ...others] = pieces.filter(({ isWhole }) => isWhole);
      expect(first?.piece.length).toBeGreaterThan(0);
      expect(others.length).toBeGreaterThan(0);
      expect(others.filter(({ piece }) => piece.length > 0)).toEqual([]);
    });

    test("refuses a file of 4 GB without reading it", async () => {
      const { folder, store } = fresh(under);
      writeFileSync(join(folder, "huge.csv"), "");
      truncateSync(join(folder, "huge.csv"), 4 * 2 ** 30);
      const before = process.memoryUsage().rss;
      expect(await store.read({ folder: "", name: "huge.csv" }, 64 * 2 ** 20)).toBe("too-large");
      // Other tests run in this process too, but they take less than a quarter of the file.
      expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 30);
    });

    test("sees plain files only: neither folders nor links, wherever they lead", async () => {
      const { folder, store } = fresh(under);
      const outside = temporaryFolder();
      writeFileSync(join(outside, "secret"), "secret");
      mkdirSync(join(folder, "sub"));
      symlinkSync(join(outside, "secret"), join(folder, "link.csv"));
      writeFileSync(join(folder, "plain.csv"), "x");
      const { files } = await store.list("", any, 10);
      expect(files.map(({ name }) => name)).toEqual(["plain.csv"]);
      await expect(store.read({ folder: "", name: "link.csv" }, 100)).rejects.toThrow(Fault);
    });

    test("does not work in a folder that is a link out of the root", async () => {
      const { folder, store } = fresh(under);
      const outside = temporaryFolder();
      symlinkSync(outside, join(folder, "done"));
      await expect(store.makeFolder("done")).rejects.toThrow("is a link that leads out of");
      await expect(store.checkFolder("done", { write: true })).rejects.toThrow("is a link that leads out of");
      expect(readdirSync(outside)).toEqual([]);
    });

    test("works with names of any characters that a folder can hold", async () => {
      const { folder, store } = fresh(under);
      const names = ["-rf", "a\nb.csv", "ünïcødé \u202Egnp.csv", "  ", "%2e%2e", "..csv", "a;b&c|d'e\"f.csv"];
      for (const name of names) writeFileSync(join(folder, name), name);
      const { files } = await store.list("", any, 100);
      expect(files.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
      await store.makeFolder("in/done");
      for (const name of names) {
        expect(String(await store.read({ folder: "", name }, 1000))).toBe(name);
        expect(await store.move({ folder: "", name }, { folder: "in/done", name })).toBe(true);
      }
      expect(readdirSync(join(folder, "in/done")).toSorted()).toEqual(names.toSorted());
    });

    test("reports files whose names are not UTF-8 instead of failing", async () => {
      const { folder, store } = fresh(under);
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x41, 0xff, 0x42])]), "x");
      expect(await store.list("", any, 10)).toEqual({ files: [], unusable: ["A\uFFFDB"] });
    });

    test("distinguishes a file that another process took from one that cannot be moved", async () => {
      const { folder, store } = fresh(under);
      writeFileSync(join(folder, "a"), "x");
      expect(await store.move({ folder: "", name: "gone" }, { folder: "", name: "b" })).toBe(false);
      await expect(store.move({ folder: "", name: "a" }, { folder: "missing", name: "a" })).rejects.toThrow(Fault);
      expect(existsSync(join(folder, "a"))).toBe(true);
    });

    test("never leaves its folder, whatever name it is given", async () => {
      const { folder, store } = fresh(under);
      for (const name of ["../x", "a/b", "..", ".", "", "a\0b"]) {
        await expect((async () => store.write({ folder: "", name }, Buffer.from("x")))()).rejects.toThrow(Fault);
      }
      expect(readdirSync(folder)).toEqual([]);
    });

    test("lists no more than requested", async () => {
      const { folder, store } = fresh(under);
      for (let index = 0; index < 30; index++) writeFileSync(join(folder, `f${index}`), "x");
      expect((await store.list("", any, 20)).files.length).toBe(20);
    });

    test("says which folder is missing, and that something prevents writing", async () => {
      const { folder, store } = fresh(under);
      await expect(store.checkFolder("nowhere", { write: false })).rejects.toThrow(/nowhere.*no such folder/);
      await expect(store.list("nowhere", any, 5)).rejects.toThrow(/nowhere.*no such folder/);
      mkdirSync(join(folder, "a.json"));
      await expect(store.write({ folder: "", name: "a.json" }, Buffer.from("x"))).rejects.toThrow(Fault);
      await store.checkFolder("", { write: true });
      expect(readdirSync(folder).filter((name) => name.startsWith(".crossdock"))).toEqual([]);
    });

    test("gives each file to exactly one of two adapters, whatever the order of writer and readers", async () => {
      const { folder, options, store: one } = fresh(under);
      const other = opened(options);
      const takers = [one, other];
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom("write", "take0", "take1"), { minLength: 2, maxLength: 12 }),
          async (steps) => {
            const base = `run${run++}`;
            for (const name of ["in", "c0", "c1"]) mkdirSync(join(folder, base, name), { recursive: true });
            const pending: Promise<unknown>[] = [];
            let written = 0;
            const taken: string[] = [];
            const take = async (index: number) => {
              const store = takers[index];
              if (store === undefined) return;
              for (const { name } of (await store.list(`${base}/in`, any, 100)).files) {
                const from = { folder: `${base}/in`, name };
                if (await store.move(from, { folder: `${base}/c${index}`, name })) taken.push(name);
              }
            };
            for (const step of steps) {
              if (step === "write") writeFileSync(join(folder, base, "in", `f${written++}`), "x");
              else pending.push(take(step === "take0" ? 0 : 1));
            }
            pending.push(take(0), take(1));
            await Promise.all(pending);
            expect(taken.toSorted()).toEqual(Array.from({ length: written }, (_, index) => `f${index}`).toSorted());
            const lying = ["c0", "c1"].flatMap((name) => readdirSync(join(folder, base, name)));
            expect(lying.toSorted()).toEqual(taken.toSorted());
          },
        ),
        { numRuns: 25 },
      );
    });
  });
});

describe("an SFTP store", () => {
  onSftp((peer) => {
    test("does not speak to a server with another key, and says which one it found", async () => {
      const { sftp, location } = sftpOptions(peer(), join(peer().root, "k"));
      const wrong = `SHA256:${"A".repeat(43)}`;
      const store = opened({ location, ...(sftp && { sftp: { ...sftp, hostKey: wrong } }) });
      await expect(store.list("", any, 1)).rejects.toThrow(
        `found ${peer().hostKey}, expected ${wrong}. Ask its administrator`,
      );
    });

    test("says that the login was refused, without the password", async () => {
      const { sftp, location } = sftpOptions(peer(), join(peer().root, "k"));
      const { privateKey: _, ...rest } = sftp ?? { username: "", hostKey: "" };
      const store = opened({ location, sftp: { ...rest, password: "hunter2hunter2" } });
      const error = await store.list("", any, 1).catch((caught: unknown) => caught);
      expect(String(error)).toMatch(/refused the login/);
      expect(String(error)).not.toContain("hunter2");
    });

    test("goes on reading between the event files that wait to be written", async () => {
      const { sftp, location } = sftpOptions(peer(), join(peer().root, "turns"));
      const store = opened({ location, ...(sftp && { sftp }) });
      let written = 0;
      const writes = Array.from({ length: 30 }, async (_, nth) => {
        await store.write({ folder: "", name: `event-${nth}` }, Buffer.from("1"));
        written++;
      });
      for (let looks = 0; looks < 3; looks++) await store.list("", any, 100);
      expect(written).toBeLessThan(10);
      await Promise.all(writes);
      expect((await store.list("", any, 100)).files).toHaveLength(30);
    });

    test("reports that the server cannot be reached, and works again when it is back", async () => {
      const { sftp, location } = sftpOptions(peer(), join(peer().root, "back"));
      const store = opened({ location, ...(sftp && { sftp }) });
      await store.write({ folder: "", name: "one" }, Buffer.from("1"));
      await peer().stop();
      const error = await store.write({ folder: "", name: "two" }, Buffer.from("2")).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Fault);
      expect(error).toMatchObject({ kind: "unreachable" });
      await peer().begin();
      await store.write({ folder: "", name: "two" }, Buffer.from("2"));
      expect(statSync(join(peer().root, "back", "two")).size).toBe(1);
    });
  });

  test("needs a password or a key, and neither in the address", () => {
    const sftp = { username: "u", hostKey: `SHA256:${"A".repeat(43)}` };
    const open = (options: Pick<FilesOptions, "location" | "sftp">) => () => openStore(options, systemTimers);
    expect(open({ location: "sftp://h/in" })).toThrow("needs `sftp`");
    expect(open({ location: "sftp://h/in", sftp })).toThrow("either `password` or `privateKey`");
    expect(open({ location: "sftp://u:secretpw@h/in", sftp: { ...sftp, password: "p" } })).toThrow(
      "belong under `sftp`",
    );
    expect(open({ location: "/in", sftp: { ...sftp, password: "p" } })).toThrow("say the host");
  });
});
