import type { Entry, EntryState } from "../../journal/entry.ts";

/** As a person reads it: what was never sent anywhere is not called delivered. */
export type ShownState = EntryState | typeof notSent;

export const notSent = "not-sent";
export const nothingDescribed = "nothing described";

/** Finished, and yet its target has never got it: that connector describes nothing for events of this kind. */
export const isUnsent = ({ state, target, direction, deliveredAt }: Entry): boolean =>
  state === "delivered" && direction === "out" && target !== null && deliveredAt === null;

export const shownState = (entry: Entry): ShownState => (isUnsent(entry) ? notSent : entry.state);
