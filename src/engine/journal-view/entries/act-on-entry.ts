import type { Problem } from "../../../contract/validate/problem.ts";
import type { Entry, EntryState } from "../../../journal/entry.ts";
import type { Journal, PersonAction } from "../../../journal/journal.ts";
import { isOneOf } from "../../../kit/narrow.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Outbox } from "../../delivery/outbox.ts";
import { type CheckEdit, checkEdit } from "./check-edit.ts";

export interface ActNeeds {
  readonly journal: Pick<Journal, "read">;
  readonly outbox: Pick<Outbox, "act">;
  readonly clock: Clock;
  /** Absent: an edit is checked in this thread. */
  readonly checkEdit?: CheckEdit;
}

/** The action an operator requests on an entry. */
export type Decision =
  | { readonly action: "retry"; readonly reason?: string }
  | { readonly action: "skip" | "replay"; readonly reason: string }
  | { readonly action: "edit"; readonly reason: string /** JSON text. */; readonly body: string };

export type Acted =
  /** Done and recorded in the audit, with the number of entries that were released. */
  | { readonly done: true; readonly releasedCount: number }
  | { readonly notPossible: string }
  | { readonly problems: readonly Problem[] };

/** Only for an edit is the body of the entry needed. */
export async function actOnEntry(needs: ActNeeds, entry: Entry, decision: Decision, operator: string): Promise<Acted> {
  const { journal, outbox, clock } = needs;
  const refusal = refusalOf(entry, decision.action);
  if (refusal !== null) return { notPossible: refusal };
  let action: PersonAction;
  if (decision.action === "edit") {
    const checked = await (needs.checkEdit ?? checkEdit)(entry, decision.body);
    if ("problems" in checked) return checked;
    if ("otherLanes" in checked) return { notPossible: otherLanesText(checked.otherLanes) };
    action = { action: "edit", body: checked.body, reason: decision.reason };
  } else action = decision;
  const released = await outbox.act(entry.seq, action, operator, clock.now());
  // The entry was delivered or leased after it was read.
  if (released === null) return { notPossible: raceText(journal.read.brief(entry.seq) ?? entry, decision.action) };
  return { done: true, releasedCount: released.length };
}

function refusalOf(entry: Entry, action: ActionName): string | null {
  if (entry.target === null) return `Entry ${entry.seq} is only kept in the journal: it has no target.`;
  return actionStates[action].includes(entry.state) ? null : raceText(entry, action);
}

const raceText = ({ seq, state }: Entry, action: ActionName): string =>
  `Entry ${seq} is ${state}. ${action} is possible while it is ${actionStates[action].join(" or ")}.`;

export const otherLanesText = (lanes: readonly string[]): string =>
  `The body must stay about the same order and containers (differs in ${lanes.join(", ")}). ` +
  "Skip the entry and book it in the external system by hand instead.";

export type ActionName = PersonAction["action"];

/**
 * The states in which the journal accepts each action. The journal decides; a test checks that this table agrees with
 * it.
 */
export const actionStates: Readonly<Record<ActionName, readonly EntryState[]>> = {
  retry: ["dead", "retry"],
  edit: ["dead", "retry", "accepted"],
  skip: ["dead", "retry", "accepted"],
  replay: ["delivered", "discarded"],
};

export const actionNames = ["retry", "edit", "skip", "replay"] as const satisfies readonly ActionName[];

/** The actions possible for this entry now. An entry without a target cannot be sent again. */
export const possibleActions = ({ state, target }: Entry): ActionName[] =>
  target === null ? [] : actionNames.filter((action) => actionStates[action].includes(state));

export const unfinishedStates = ["accepted", "inflight", "retry", "dead"] as const satisfies readonly EntryState[];

/** Whether the entry is open or dead, so that it blocks later entries of its lanes. */
export const isUnfinished = ({ state }: Entry): boolean => isOneOf(unfinishedStates, state);
