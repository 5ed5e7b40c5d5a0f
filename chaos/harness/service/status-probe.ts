import { quantile } from "../../../bench/harness/median.ts";
import { startConstant, startProbe } from "../../../bench/harness/programs.ts";
import type { Figure } from "../scenario.ts";
import type { Stage } from "../stage.ts";

interface Times {
  readonly median: number;
  /** 99 of 100 answers took at most this long. */
  readonly p99: number;
}

export interface ProbedMs {
  readonly service: Times;
  /** The times of a server that does nothing, queried at the same time. They show the machine's own share. */
  readonly idle: Times;
}

/** Queries the status at a steady pace while something else goes wrong. */
export interface StatusProbe {
  readonly start: (url: string) => Promise<void>;
  readonly stop: () => Promise<ProbedMs>;
}

export async function openStatusProbe(stage: Stage): Promise<StatusProbe> {
  const [idle, service, control] = await Promise.all([startConstant("{}"), startProbe(), startProbe()]);
  for (const child of [idle, service, control]) stage.onEnd(child.stop);
  const timesOf = async (probe: typeof service): Promise<Times> => {
    const times = await probe.run<number[]>("stop");
    return { median: quantile(times, 0.5), p99: quantile(times, 0.99) };
  };
  return {
    start: async (url) => {
      await Promise.all([service.run({ start: url }), control.run({ start: idle.url })]);
    },
    stop: async () => {
      const [ofService, ofIdle] = await Promise.all([timesOf(service), timesOf(control)]);
      return { service: ofService, idle: ofIdle };
    },
  };
}

/** The limit that the documentation promises. It is judged only if nothing else runs on the machine. */
export const statusFigure = ({ service }: ProbedMs): Figure => ({
  ...{ what: "status, 99 of 100 within", value: service.p99, unit: "ms", bar: { at: "most", limit: 50 } },
});
