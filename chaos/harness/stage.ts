import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RandomSource, randomSource } from "./random-source.ts";

/** Where a scenario plays: folders of its own, and a promise that nothing of it is left behind. */
export interface Stage {
  readonly say: (text: string) => void;
  readonly random: RandomSource;
  readonly folder: (name: string) => string;
  /** To be undone when the scenario ends, however it ends; the latest first. */
  readonly onEnd: (undo: () => unknown) => void;
  /** A stage within this one, for a part that is cleared before the next begins. */
  readonly open: (name: string) => Stage;
  readonly clear: () => Promise<void>;
}

export interface StageOptions {
  readonly say: (text: string) => void;
  /** The same seed kills at the same moments; what the machine does in between is its own. */
  readonly seed: number;
}

export function openStage({ say, seed }: StageOptions): Stage {
  return stageIn(mkdtempSync(join(tmpdir(), "crossdock-chaos-")), say, randomSource(seed));
}

function stageIn(root: string, say: (text: string) => void, random: RandomSource): Stage {
  const undos: (() => unknown)[] = [];
  const stage: Stage = {
    say,
    random,
    open: (name) => {
      const inner = stageIn(stage.folder(name.replaceAll(" ", "-")), say, random);
      stage.onEnd(inner.clear);
      return inner;
    },
    folder: (name) => {
      const folder = join(root, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    onEnd: (undo) => undos.push(undo),
    clear: async () => {
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
        try {
          await undo();
        } catch (error) {
          // The others must still be undone: one stuck mount must not leave ten processes running.
          say(`could not be cleaned up: ${String(error)}`);
        }
      }
      rmSync(root, { recursive: true, force: true });
    },
  };
  return stage;
}
