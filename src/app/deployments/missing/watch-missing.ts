import type { Log } from "../../../kit/log.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { type MissingDeployment, missingAmong, type Together } from "./missing-among.ts";

export interface WatchMissingNeeds {
  readonly isConfigured: (deployment: string) => boolean;
  /** Asks PostgreSQL what the processes serve. */
  readonly look: () => Promise<Together>;
  readonly timers: Timers;
  readonly log: Log;
}

/** Knows the deployments that other processes serve, and of which this one has no configuration. */
export interface MissingWatch {
  /** Those that are served now. */
  readonly served: () => readonly MissingDeployment[];
  /** Those that were served since this process runs, as they were served last: now they may be asleep. */
  readonly known: () => readonly MissingDeployment[];
  /** Looks again, unless that was done a moment ago. What cannot be found out stays as it was. */
  readonly refresh: () => Promise<void>;
  /** No process took a request for it. */
  readonly forget: (deployment: string) => void;
  readonly close: () => void;
}

const lookEveryMs = 5_000;
/** Requests for addresses that nobody has must not become as many queries. */
const momentMs = 1_000;

export function watchMissing({ isConfigured, look, timers, log }: WatchMissingNeeds): MissingWatch {
  const known = new Map<string, MissingDeployment>();
  let served: readonly MissingDeployment[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  let isClosed = false;
  let cancel = () => {};

  const lookAgain = async () => {
    try {
      const next = missingAmong(isConfigured, await look());
      for (const { name, owner, ownerUrl } of next) {
        if (served.some((one) => one.name === name)) continue;
        log.warn(
          { deployment: name, owner, ownerUrl },
          "other processes serve a deployment of which this one has no configuration; its requests are passed on to them",
        );
      }
      served = next;
      for (const one of next) known.set(one.name, one);
    } catch {
      // The process reports in the same way that PostgreSQL is not reached, and that is logged.
    }
    // Its configuration may have come since.
    for (const name of [...known.keys()]) if (isConfigured(name)) known.delete(name);
  };
  const refresh = (): Promise<void> => {
    if (looking !== null) return looking;
    if (timers.passed() - lookedAt < momentMs) return Promise.resolve();
    looking = lookAgain().finally(() => {
      lookedAt = timers.passed();
      looking = null;
    });
    return looking;
  };
  const lookRegularly = () => {
    cancel = timers.after(lookEveryMs, async () => {
      await refresh();
      if (!isClosed) lookRegularly();
    });
  };
  lookRegularly();
  return {
    served: () => served.filter(({ name }) => !isConfigured(name)),
    known: () => [...known.values()].filter(({ name }) => !isConfigured(name)),
    refresh,
    forget: (deployment) => void known.delete(deployment),
    close: () => {
      isClosed = true;
      cancel();
    },
  };
}
