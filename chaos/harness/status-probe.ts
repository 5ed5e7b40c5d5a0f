import { quantile } from "../../bench/harness/median.ts";
import { startConstant, startProbe } from "../../bench/harness/programs.ts";
import type { Figure } from "./scenario.ts";
import type { Stage } from "./stage.ts";

/** 99th percentiles of the answer times. */
export interface ProbedMs {
  readonly service: number;
  /** For an idle server, measured at the same time: the share of the machine itself. */
  readonly idle: number;
}

/** Requests the status at a steady rate while a fault is active. */
export interface StatusProbe {
  readonly start: (url: string) => Promise<void>;
  readonly stop: () => Promise<ProbedMs>;
}

export async function openStatusProbe(stage: Stage): Promise<StatusProbe> {
  const [idle, service, beside] = await Promise.all([startConstant("{}"), startProbe(), startProbe()]);
  for (const child of [idle, service, beside]) stage.onEnd(child.stop);
  const p99 = async (probe: typeof service) => quantile(await probe.run<number[]>("stop"), 0.99);
  return {
    start: async (url) => {
      await Promise.all([service.run({ start: url }), beside.run({ start: idle.url })]);
    },
    stop: async () => {
      const [ofService, ofIdle] = await Promise.all([p99(service), p99(beside)]);
      return { service: ofService, idle: ofIdle };
    },
  };
}

const promisedMs = 50;

/** In the short form other tests run at the same time: the share of the machine is subtracted. */
export function statusFigures({ service, idle }: ProbedMs, isAlone: boolean): readonly Figure[] {
  const bar = { at: "most", limit: promisedMs } as const;
  const what = "status, 99 of 100 within";
  return isAlone
    ? [{ what, value: service, unit: "ms", bar }]
    : [{ what: `${what}, beyond an idle server`, value: Math.max(0, service - idle), unit: "ms", bar }];
}
