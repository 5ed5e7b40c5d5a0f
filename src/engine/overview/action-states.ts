import type { Entry, EntryState } from "../../journal/entry.ts";
import type { PersonAction } from "../../journal/journal.ts";

export type ActionName = PersonAction["action"];

/** From which states the journal lets a person do what; it has the last word, and a test holds the two equal. */
export const actionStates: Readonly<Record<ActionName, readonly EntryState[]>> = {
  retry: ["dead", "retry"],
  edit: ["dead", "retry", "accepted"],
  skip: ["dead", "retry", "accepted"],
  replay: ["delivered", "discarded"],
};

export const actionNames = ["retry", "edit", "skip", "replay"] as const satisfies readonly ActionName[];

/** What a person may do with this entry now. What nobody outside gets cannot be sent again. */
export const possibleActions = ({ state, target }: Entry): ActionName[] =>
  target === null ? [] : actionNames.filter((action) => actionStates[action].includes(state));

/** Still on its way, or waiting for a person: it holds up what stands behind it in its lanes. */
export const isUnfinished = ({ state }: Entry): boolean =>
  state === "accepted" || state === "inflight" || state === "retry" || state === "dead";
