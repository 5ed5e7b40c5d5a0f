import { quantile } from "../../bench/harness/median.ts";
import { startProbe } from "../../bench/harness/programs.ts";
import type { Stage } from "./stage.ts";

/** Asks for the status at a steady pace while something else goes wrong. */
export interface StatusProbe {
  readonly start: (url: string) => Promise<void>;
  /** The time that 99 of 100 answers stayed below. */
  readonly stop: () => Promise<number>;
}

export async function openStatusProbe(stage: Stage): Promise<StatusProbe> {
  const child = await startProbe();
  stage.onEnd(child.stop);
  return {
    start: async (url) => {
      await child.run({ start: url });
    },
    stop: async () => quantile(await child.run<number[]>("stop"), 0.99),
  };
}
