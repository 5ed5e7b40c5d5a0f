import type { Environment } from "./settings.ts";

/** Beside the build. */
export const buildStampFile = "build.json";

export interface BuildStamp {
  readonly buildDateTime: string;
}

/** Two builds of the same sources can be made equal, byte for byte, by the variable that packagers agree on. */
export function buildStamp({ SOURCE_DATE_EPOCH: epoch }: Environment, nowMs: number): BuildStamp {
  const ms = epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : nowMs;
  return { buildDateTime: `${new Date(ms).toISOString().slice(0, 19)}Z` };
}
