import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RandomSource, randomSource } from "./random-source.ts";
import { type Gauge, notePeaks, type Peaks } from "./service/gauge.ts";

/** The place of a scenario: its own folders, and a clean-up that leaves nothing behind. */
export interface Stage {
  readonly say: (text: string) => void;
  readonly random: RandomSource;
  readonly folder: (name: string) => string;
  /** Counts from 1 until the limit or the time is reached. A busy machine gets fewer rounds, not a later end. */
  readonly rounds: (limits: { readonly most: number; readonly withinS?: number }) => Iterable<number>;
  /** Registers a clean-up, which always runs at the end of the scenario. The latest one runs first. */
  readonly onEnd: (undo: () => unknown) => void;
  /** A nested stage, for a part that is cleaned up before the next begins. */
  readonly open: (name: string) => Stage;
  readonly clear: () => Promise<void>;
  /** Samples a service repeatedly until it has ended. */
  readonly watch: (gauge: Gauge, ended: Promise<unknown>) => void;
  /** The most resources that any service on this stage has used. */
  readonly peaks: Peaks;
}

export interface StageOptions {
  readonly say: (text: string) => void;
  /** The same seed causes faults at the same moments, but the timing of the machine still varies. */
  readonly seed: number;
  /** The longest that rounds may go on. */
  readonly withinS?: number;
}

export function openStage({ say, seed, withinS = Number.POSITIVE_INFINITY }: StageOptions): Stage {
  const peaks: Peaks = { memoryMiB: 0, descriptors: 0, logMiB: 0 };
  return stageIn(mkdtempSync(join(tmpdir(), "crossdock-chaos-")), { say, withinS, peaks, random: randomSource(seed) });
}

type Common = Required<Omit<StageOptions, "seed">> & { readonly random: RandomSource; readonly peaks: Peaks };

const checkEveryMs = 100;

function stageIn(root: string, common: Common): Stage {
  const { say, random } = common;
  const undos: (() => unknown)[] = [];
  const stage: Stage = {
    say,
    random,
    open: (name) => {
      const inner = stageIn(stage.folder(name.replaceAll(" ", "-")), common);
      stage.onEnd(inner.clear);
      return inner;
    },
    folder: (name) => {
      const folder = join(root, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    rounds: function* ({ most, withinS = common.withinS }) {
      const endAt = performance.now() + Math.min(withinS, common.withinS) * 1000;
      for (let round = 1; round <= most && performance.now() < endAt; round++) yield round;
    },
    onEnd: (undo) => undos.push(undo),
    peaks: common.peaks,
    watch: (gauge, ended) => {
      const looking = setInterval(() => notePeaks(common.peaks, gauge), checkEveryMs);
      const stop = () => clearInterval(looking);
      void ended.then(stop, stop);
    },
    clear: async () => {
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
        try {
          await undo();
        } catch (error) {
          // The other clean-ups must still run. One stuck mount must not leave ten processes running.
          say(`could not be cleaned up: ${String(error)}`);
        }
      }
      rmSync(root, { recursive: true, force: true });
    },
  };
  return stage;
}
