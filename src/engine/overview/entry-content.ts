import type { Entry } from "../../journal/entry.ts";
import { bareLane } from "../../sdk/lane.ts";

/** What an entry is about, read out of its lanes and its body. */
export interface EntryContent {
  /** The body in documented spelling; undefined where retention has erased it. */
  readonly value: unknown;
  readonly orders: readonly string[];
  readonly containers: readonly string[];
  readonly items: readonly string[];
  readonly operator: string | null;
}

const orderPrefix = "wo:";
const containerPrefix = "ct:";

export function entryContent({ lanes, topic, body, payload }: Entry): EntryContent {
  const orders = new Set(named(lanes, orderPrefix));
  const containers = new Set(named(lanes, containerPrefix));
  const items = new Set<string>();
  let operator: string | null = null;
  const value = parsed(payload ?? body);
  if (topic === "items") items.add(String((value as { number?: unknown } | undefined)?.number ?? ""));
  for (const [name, member] of textMembers(value)) {
    if (name === "itemNumber") items.add(member);
    else if (name === "containerCode") containers.add(member);
    else if (name === "userEmail") operator ??= member;
  }
  return { value, orders: [...orders], containers: [...containers], items: [...items], operator };
}

const named = (lanes: Entry["lanes"], prefix: string): string[] =>
  lanes
    .map(({ lane }) => bareLane(lane))
    .flatMap((lane) => (lane.startsWith(prefix) ? [lane.slice(prefix.length)] : []));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every member with a text, at any depth. Bodies are at most 64 levels deep: the server takes no others. */
function* textMembers(value: unknown): Generator<readonly [name: string, text: string]> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "string") yield [name, member];
    else yield* textMembers(member);
  }
}
