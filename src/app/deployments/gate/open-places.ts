import type { Timers } from "../../../kit/time/timers.ts";
import type { Gate, Opened } from "./open-gate.ts";

export interface Places {
  /** Waits until one more deployment may be open; the returned function frees the place again. */
  readonly enter: (name: string) => Promise<() => void>;
}

/** A deployment that may be closed to make room. */
type RoomGate = Pick<Gate, "closeIfUnused" | "usedAt"> & {
  readonly opened: () => Pick<Opened, "isStandby"> | null;
};

export interface PlacesNeeds {
  readonly most: () => number;
  /** The deployments that could be closed to make room. */
  readonly open: () => readonly RoomGate[];
  readonly timers: Timers;
}

/** How often open deployments are checked while somebody waits. */
const checkEveryMs = 500;
const longestWaitMs = 30_000;

/**
 * Limits how many deployments are open at the same time, because each takes memory and any request opens one. The
 * deployment that was unused for the longest time is closed to make room. One that another process owns goes first:
 * requests for it are still served there, but one that is owned here would be without an owner until its next request.
 */
export function openPlaces({ most, open, timers }: PlacesNeeds): Places {
  let taken = 0;
  const leave = () => {
    taken--;
  };
  const makeRoom = async (): Promise<boolean> => {
    const oldestFirst = open()
      .filter((one) => one.opened() !== null)
      .sort((a, b) => a.usedAt() - b.usedAt());
    const isStandby = (one: (typeof oldestFirst)[number]) => one.opened()?.isStandby() === true;
    const { here = [], elsewhere = [] } = Object.groupBy(oldestFirst, (one) => (isStandby(one) ? "elsewhere" : "here"));
    for (const one of [...elsewhere, ...here]) if (await one.closeIfUnused(0)) return true;
    return false;
  };
  return {
    enter: async (name) => {
      for (let waitedMs = 0; taken >= most(); waitedMs += checkEveryMs) {
        if (waitedMs >= longestWaitMs) {
          throw new Error(`${name} cannot be opened: ${most()} deployments are open, and all are in use`);
        }
        if (!(await makeRoom())) await new Promise<void>((resolve) => timers.after(checkEveryMs, resolve));
      }
      taken++;
      return leave;
    },
  };
}
