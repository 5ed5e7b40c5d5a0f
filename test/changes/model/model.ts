import type { InputOf } from "../../../src/contract/operations.ts";
import type { PushedCancellation } from "../../../src/contract/pushes.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../../src/journal/inline-projection.ts";
import { applyCancellation, applyPush, shareItemAmounts } from "../play/apply-changes.ts";
import { floorEvents } from "../play/floor-events.ts";
import { openFactors } from "../sequences/factors.ts";
import { type BookedChange, type DueReceipt, dueReceipt, isReplaced, noteShown } from "./change-book.ts";
import {
  isAtWall,
  type MemberOrder,
  newGroup,
  type OrderGroup,
  pickedInGroup,
  pickedOf,
  takeBackCuts,
  wallId,
} from "./order-group.ts";
import { isDone, reconcile, stillWanted, targetsOf } from "./reconcile.ts";

/** What whoever has an item in hand is to put aside now. */
interface ToldNow {
  readonly item: string;
  readonly amount: number;
  readonly factor: number;
  /** Nothing more of the order is to be picked: that is told first. */
  readonly isStop: boolean;
  /** Whether the unit of the item is known. */
  readonly isSure: boolean;
}

/** What an entry has to be answered with. */
export interface Expected {
  readonly group: OrderGroup | undefined;
  /** Request ids with the amount that is offered, 0 for a cancelled line; null: no update; undefined: no step. */
  readonly offers?: ReadonlyMap<number, number> | null;
  /** Pieces to put aside, in the base unit; while the factor of a line of the item is in doubt, nobody can say. */
  readonly putAside?: ToldNow;
  readonly attach?: string;
  readonly isRetry?: boolean;
  readonly due: readonly DueReceipt[];
}

/** What the answer to an event adds to the changed facts. */
export type Answer = Omit<Expected, "group" | "due">;

export interface Model {
  readonly apply: (entry: ProjectionEntry) => Expected;
  readonly groups: ReadonlyMap<string, OrderGroup>;
  readonly changes: readonly BookedChange[];
  /** Container codes with the number of the order on each. */
  readonly containers: ReadonlyMap<string, string>;
  readonly isFactorKnown: (group: OrderGroup, member: MemberOrder, key: string) => boolean;
}

export const groupNumber = (number: string): string => number.replace(/-F\d+$/, "");

const leastSilenceMs = 2 * 3_600_000;

/** Order changes during picking as behaviour.md describes them: facts in memory, and every amount worked out anew. */
export function openModel(needs: {
  readonly factorOf: (item: string) => number;
  readonly removedReceiptAfterMinutes: number;
}): Model {
  const { factorOf } = needs;
  const removedAfterMs = needs.removedReceiptAfterMinutes * 60_000;
  const silenceMs = Math.max(leastSilenceMs, removedAfterMs);
  const groups = new Map<string, OrderGroup>();
  const changes: BookedChange[] = [];
  const containers = new Map<string, string>();
  const factors = openFactors();
  const events = floorEvents({ factors, factorOf, containers });

  const groupOf = (number: string): OrderGroup => {
    const known = groups.get(groupNumber(number)) ?? newGroup(groupNumber(number));
    groups.set(known.number, known);
    return known;
  };

  /** An offer with the last step, and silence after it, counts as taken over. */
  const settleSilent = (now: number) => {
    for (const group of groups.values()) {
      for (const member of group.members) {
        if (member.lastOffer === undefined || now - member.lastOffer.at < silenceMs) continue;
        for (const { shown } of member.lines.values()) {
          // What the floor has given up since stays given up: an offer only ever lowers.
          for (const [id, amount] of member.lastOffer.amounts) {
            const present = shown?.get(id);
            if (present !== undefined) shown?.set(id, Math.min(present, amount));
          }
        }
        member.lastOffer = undefined;
        settle(group);
      }
    }
  };

  const settle = (group: OrderGroup) => {
    shareItemAmounts(group);
    for (const member of group.members) evenOutWall(group, member);
    for (const member of group.members) {
      if (member.state !== "running") continue;
      if (isAtWall(member) ? isWallDone(group, member) : isDone(group, member)) end(group, member);
    }
    reconcile(group, factors.isKnown);
  };

  const end = (_group: OrderGroup, member: MemberOrder) => {
    member.state = "ended";
    member.lastOffer = undefined;
    for (const [code, number] of containers) if (number === member.number) containers.delete(code);
  };

  const dispatch = (entry: ProjectionEntry, group: OrderGroup): Answer => {
    const { topic, payload, id, receivedAt: now } = entry;
    const filing = { group, changes, entryId: id, now, factorOf };
    switch (topic) {
      // The driver builds the payloads by these types.
      case "workOrders":
        applyPush(payload as WorkOrder, filing);
        return {};
      case "cancellations":
        applyCancellation(payload as PushedCancellation, filing);
        return {};
      case "attachWorkOrder":
        return events.attach(payload as InputOf<"attachWorkOrder">, group);
      case "changeStatus":
        events.status(payload as InputOf<"changeStatus">, group, end);
        return {};
      case "cancelWorkOrderRequest":
        events.cancelLine(payload as InputOf<"cancelWorkOrderRequest">, group);
        return {};
      case "confirmPutWallPlacement":
        return events.place(payload as InputOf<"confirmPutWallPlacement">, group);
      case "cancelPutWallItem":
        events.cancelWallItem(payload as InputOf<"cancelPutWallItem">, group);
        return {};
      default:
        return events.step(payload as InputOf<"confirmStep">, group, now);
    }
  };

  return {
    ...{ groups, changes, containers, isFactorKnown: factors.isKnown },
    apply: (entry) => {
      const isOfAnOrder = entry.topic !== "stock";
      const group = isOfAnOrder ? groupOf(orderNumberOf(entry.payload)) : undefined;
      const answer = group === undefined ? {} : dispatch(entry, group);
      if (group !== undefined) settle(group);
      settleSilent(entry.receivedAt);
      const when = { now: entry.receivedAt, removedAfterMs };
      const due = [...groups.values()].flatMap((one) => {
        const own = changes.filter((change) => change.orderNumber === one.number && !change.isTold);
        noteShown(one, own);
        return own.filter((change) => !isReplaced(change)).flatMap((change) => dueReceipt(one, change, when) ?? []);
      });
      return { group, due, ...answer };
    },
  };
}

function orderNumberOf(payload: unknown): string {
  // Every payload of these topics names its order by one of the two.
  const { workOrderNumber, number } = payload as { workOrderNumber?: string; number?: string };
  return workOrderNumber ?? number ?? "";
}

/** At the put wall: what it was to bring lies there, and nothing more is wanted of it. */
function isWallDone(group: OrderGroup, member: MemberOrder): boolean {
  const lines = [...group.lines.values()].filter(({ key }) => member.lines.get(key)?.wallShown !== undefined);
  return lines.every((line) => {
    const asked = member.lines.get(line.key)?.wallAsked ?? 0;
    return pickedOf(member, line.key) >= Math.max(asked, targetsOf(group, line).targets.get(member) ?? 0);
  });
}

/** The wall names no line: what is too much of one line of an item is for another one that is short (33). */
function evenOutWall(group: OrderGroup, member: MemberOrder): void {
  const atWall = [...group.lines.values()].flatMap((line) => {
    const own = member.lines.get(line.key);
    const isByWall = own !== undefined && [...own.picks.keys()].every((id) => id === wallId);
    return own?.wallShown === undefined || !isByWall ? [] : [{ line, picks: own.picks }];
  });
  if (!group.isChanged) return;
  const shortOf = ({ line }: (typeof atWall)[number]) => stillWanted(line) - pickedInGroup(group, line.key);
  for (const lacking of atWall) {
    for (const other of atWall) {
      if (other.line.item !== lacking.line.item) continue;
      const moved = Math.min(shortOf(lacking), -shortOf(other), other.picks.get(wallId) ?? 0);
      if (moved <= 0) continue;
      lacking.picks.set(wallId, (lacking.picks.get(wallId) ?? 0) + moved);
      other.picks.set(wallId, (other.picks.get(wallId) ?? 0) - moved);
    }
  }
  // What counts for a line that was given up has come after all.
  takeBackCuts(group, member);
}
