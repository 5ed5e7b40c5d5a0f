const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-01-05 09:41` as the clock on the wall shows it: read the same way in every language. */
export function wallTime(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // Swedish writes dates in this order.
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
    formats.set(timeZone, format);
  }
  return format.format(at);
}
