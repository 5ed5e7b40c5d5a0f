import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillStore } from "../data/fill-store.ts";

export interface StoreSize {
  readonly orders: number;
  readonly lines: number;
}

/** Where a run keeps its data folders. */
export interface Workshop {
  /** A data folder with that many orders, made once and not to be written to. */
  readonly store: (size: StoreSize) => Promise<string>;
  /** The same in a folder of its own, for what changes it. */
  readonly ownStore: (size: StoreSize) => Promise<string>;
  readonly say: (text: string) => void;
  readonly clear: () => void;
}

export function openWorkshop(needs: {
  readonly say: (text: string) => void;
  /** Filled stores stay here for the next run; absent: they are removed with everything else. */
  readonly keptStores?: string | undefined;
}): Workshop {
  const { say, keptStores } = needs;
  const root = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  if (keptStores !== undefined) mkdirSync(keptStores, { recursive: true });
  let copies = 0;

  const store = async (size: StoreSize) => {
    const folder = join(keptStores ?? root, `store-${size.orders}-${size.lines}`);
    if (existsSync(folder)) return folder;
    say(`filling a store with ${size.orders.toLocaleString("en")} orders of ${size.lines} lines …`);
    const unfinished = `${folder}-unfinished`;
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
      return copy;
    },
    say,
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}
