import type { Clock } from "./time/clock.ts";

/** What the rooms need of a logger; pino fits it. Fields first, so that a line can be searched by them. */
export interface Log {
  readonly debug: (fields: object, text: string) => void;
  readonly info: (fields: object, text: string) => void;
  readonly warn: (fields: object, text: string) => void;
  readonly error: (fields: object, text: string) => void;
}

const nothing = () => {};
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * Lets a few warnings and errors of the same text through in a second and counts the others: a full disk under
 * load would otherwise fill what is left of it with its own complaints.
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
