import type { Clock } from "./time/clock.ts";

/** The logger that the rooms use; pino implements it. Fields come first, so that log lines can be searched by them. */
export interface Log {
  readonly debug: (fields: object, text: string) => void;
  readonly info: (fields: object, text: string) => void;
  readonly warn: (fields: object, text: string) => void;
  readonly error: (fields: object, text: string) => void;
}

const nothing = () => {};
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Adds the fields to every line. Fields of the line itself win. */
export function withFields(log: Log, fields: object): Log {
  // Bound to the log: writers such as pino need their `this`.
  return {
    debug: (own, text) => log.debug({ ...fields, ...own }, text),
    info: (own, text) => log.info({ ...fields, ...own }, text),
    warn: (own, text) => log.warn({ ...fields, ...own }, text),
    error: (own, text) => log.error({ ...fields, ...own }, text),
  };
}

/**
 * Passes on a few warnings and errors of the same text per second and counts the others. Otherwise, under load, a full
 * disk would be filled completely by its own error messages.
 */
export function withoutFloods(log: Log, clock: Clock, perSecond = 5): Log {
  const seen = new Map<string, { second: number; times: number; left: number }>();
  const limited = (write: Log["error"]) => (fields: object, text: string) => {
    const second = Math.floor(clock.now() / 1000);
    const known = seen.get(text) ?? { second, times: 0, left: 0 };
    if (known.second !== second) Object.assign(known, { second, times: 0 });
    seen.set(text, known);
    if (++known.times > perSecond) {
      known.left++;
      return;
    }
    write(known.left === 0 ? fields : { ...fields, leftOut: known.left }, text);
    known.left = 0;
  };
  return { debug: log.debug, info: log.info, warn: limited(log.warn), error: limited(log.error) };
}

/**
 * Moves fields whose names the record itself uses below `fields`. A line with two members of one name would show a
 * reader only the second: a field called `level` would hide an error from every monitor.
 */
export function apartFrom(own: ReadonlySet<string>, fields: object): object {
  const given = Object.entries(fields);
  const apart = given.filter(([name]) => own.has(name));
  if (apart.length === 0) return fields;
  return { ...Object.fromEntries(given.filter(([name]) => !own.has(name))), fields: Object.fromEntries(apart) };
}
