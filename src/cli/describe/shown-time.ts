import type { Terminal } from "../command.ts";

/** Writes a UTC time of an answer as a person at the site reads it. Programs get the time as it is. */
export type ShownTime = (utc: string) => string;

/** In `timeZone` of the configuration that is found here; if none can be read, in this machine's zone. */
export async function timeZoneHere({ env, cwd }: Terminal): Promise<string> {
  const { loadConfig } = await import("../../config/load-config.ts");
  try {
    return (await loadConfig({ env, cwd })).config.timeZone;
  } catch {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
}

export const shownTimeHere = async (terminal: Terminal): Promise<ShownTime> =>
  shownTimeIn(await timeZoneHere(terminal));

/** With the offset: a copied line must be clear to somebody in another zone. */
export function shownTimeIn(timeZone: string): ShownTime {
  const style = { dateStyle: "short", timeStyle: "medium" } as const;
  const wall = new Intl.DateTimeFormat("sv-SE", { timeZone, ...style });
  const offset = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (utc) => {
    const at = Date.parse(utc);
    if (Number.isNaN(at)) return utc;
    const name = offset.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    return `${wall.format(at)} ${/^GMT(\+00:00)?$/.test(name) ? "UTC" : name.replace("GMT", "")}`;
  };
}
