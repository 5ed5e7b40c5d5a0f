const maxMs = 3_600_000;

/** When the receiver wants to be asked again: seconds or a date, at most an hour; undefined where it does not say. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /[a-z]/i.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), maxMs);
}
