import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillStore } from "../../data/fill-store.ts";
import { schemaMark } from "../../data/schema-mark.ts";

export interface StoreSize {
  readonly orders: number;
  readonly lines: number;
  /** Delivered entries of earlier orders that no longer exist. */
  readonly deliveredEntries?: number;
}

/** The data folders of a run. */
export interface Workshop {
  /** Returns a data folder with that many orders, created once. It must not be written to. */
  readonly store: (size: StoreSize) => Promise<string>;
  /** Returns such a data folder as a separate copy, for measurements that change it. */
  readonly ownStore: (size: StoreSize) => Promise<string>;
  readonly say: (text: string) => void;
  /** Says what cannot be measured here, and why. The report repeats it. */
  readonly skip: (text: string) => void;
  readonly skipped: readonly string[];
  readonly clear: () => void;
}

export function openWorkshop(needs: {
  readonly say: (text: string) => void;
  /** The folder that keeps filled stores for the next run. Absent: they are deleted. */
  readonly keptStores?: string | undefined;
}): Workshop {
  const { say, keptStores } = needs;
  const root = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const skipped: string[] = [];
  let copies = 0;

  const store = async (size: StoreSize) => {
    const folder = join(keptStores === undefined ? root : await keptFolder(keptStores), nameOf(size));
    if (existsSync(folder)) return folder;
    say(`filling ${nameOf(size)} …`);
    const unfinished = `${folder}-unfinished`;
    // May be left over from an interrupted run.
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished);
    await fillStore({ folder: unfinished, ...size });
    renameSync(unfinished, folder);
    return folder;
  };

  return {
    store,
    ownStore: async (size) => {
      const copy = join(root, `copy-${++copies}`);
      cpSync(await store(size), copy, { recursive: true });
      for (const file of readdirSync(copy)) syncFile(join(copy, file));
      return copy;
    },
    say,
    skip: (text) => {
      say(`skipped ${text}`);
      skipped.push(text);
    },
    skipped,
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * Syncs the file. Otherwise the system would write hundreds of megabytes to the disk during the first seconds of the
 * measurement.
 */
function syncFile(file: string): void {
  const handle = openSync(file, "r+");
  fsyncSync(handle);
  closeSync(handle);
}

const nameOf = ({ orders, lines, deliveredEntries = 0 }: StoreSize): string =>
  `store-${orders}-${lines}${deliveredEntries === 0 ? "" : `-${deliveredEntries}-delivered`}`;

async function keptFolder(keptStores: string): Promise<string> {
  const folder = join(keptStores, await schemaMark());
  mkdirSync(folder, { recursive: true });
  return folder;
}
