import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry } from "../../../journal/entry.ts";
import { orderOfLane } from "../../../operation/lane.ts";
import { contentInTurns, type EntryContent, notSent, type ShownState, shownState } from "./entry-view.ts";
import type { FailureKind } from "./failure-kind.ts";

export const entryStates = [
  "accepted",
  "inflight",
  "retry",
  "delivered",
  "rejected",
  "dead",
  "discarded",
  notSent,
] as const satisfies readonly ShownState[];

/** A search; all given conditions must hold. */
export interface EntryQuery {
  readonly order?: string;
  readonly container?: string;
  readonly item?: string;
  /** The complete `userEmail`. */
  readonly operator?: string;
  /** A container, item or operator with this name. */
  readonly name?: string;
  /** A text anywhere in the body, ignoring letter case. */
  readonly text?: string;
  /** The sender that pushed the entry. */
  readonly sender?: string;
  readonly topic?: string;
  readonly direction?: "out" | "in";
  readonly states?: readonly ShownState[];
  readonly target?: string;
  /** Only undelivered entries that failed, or wait, in one of these ways. */
  readonly failures?: readonly FailureKind[];
  /** Only undelivered entries with this cause. */
  readonly cause?: string;
  readonly from?: number;
  readonly to?: number;
}

/**
 * Returns a function that says whether an entry matches the query. If it has to parse a long body, other requests run
 * meanwhile.
 */
export function entryMatcher(query: EntryQuery): (entry: Entry) => boolean | Promise<boolean> {
  const { order, container, item, name, sender, direction, states, target, from, to } = query;
  const text = query.text?.toLowerCase();
  const topic = query.topic?.toLowerCase();
  const operator = query.operator?.toLowerCase();
  const names = [container, item, query.operator, name].filter((one) => one !== undefined);
  return (entry) => {
    if (direction !== undefined && entry.direction !== direction) return false;
    if (sender !== undefined && entry.sender !== sender) return false;
    if (target !== undefined && entry.target !== target) return false;
    if (topic !== undefined && entry.topic.toLowerCase() !== topic) return false;
    if (states !== undefined && !states.includes(shownState(entry))) return false;
    if (from !== undefined && entry.receivedAt < from) return false;
    if (to !== undefined && entry.receivedAt > to) return false;
    if (order !== undefined && !entry.lanes.some(({ lane }) => orderOfLane(lane) === order)) return false;
    if (text === undefined) return matchesContent(entry);
    if (entry.body.length > longBody) return holdsInTurns(entry.body, text).then((is) => is && matchesContent(entry));
    return entry.body.toLowerCase().includes(text) && matchesContent(entry);
  };

  function matchesContent(entry: Entry): boolean | Promise<boolean> {
    if (names.length === 0) return true;
    // Parsing takes most of the time of a search, and most bodies do not have the name at all.
    return names.every((one) => mayName(entry, one)) && contentInTurns(entry).then((content) => isAbout(content));
  }

  function isAbout(content: EntryContent): boolean {
    if (container !== undefined && !content.containers.includes(container)) return false;
    if (item !== undefined && !content.items.includes(item)) return false;
    if (name !== undefined && !isNamed(content, name)) return false;
    return operator === undefined || content.operator?.toLowerCase() === operator;
  }
}

const isNamed = ({ containers, items, operator }: EntryContent, name: string): boolean =>
  containers.includes(name) || items.includes(name) || operator?.toLowerCase() === name.toLowerCase();

/** Whether a name can be in an entry, by its text alone. With an escape, a name can be written in many ways. */
function mayName({ body, payload, lanes }: Entry, name: string): boolean {
  const text = payload ?? body;
  if (text.length > longBody || text.includes("\\") || !/^[ -~]*$/.test(name)) return true;
  const folded = name.toLowerCase();
  return text.toLowerCase().includes(folded) || lanes.some(({ lane }) => lane.toLowerCase().includes(folded));
}

const longBody = 64 * 1024;

/** Whether a text holds another, ignoring letter case. Other requests run while it is searched. */
async function holdsInTurns(body: string, wanted: string): Promise<boolean> {
  for (let from = 0; from < body.length; from += longBody) {
    // The wanted text may begin in one piece and end in the next.
    const piece = body.slice(from, from + longBody + wanted.length);
    if (piece.toLowerCase().includes(wanted)) return true;
    await nextTurn();
  }
  return false;
}

/** Whether entries can be matched without their bodies. */
export const isBodiless = ({ container, item, operator, name, text }: EntryQuery): boolean =>
  [container, item, operator, name, text].every((one) => one === undefined);
