import type { InputOf } from "../../../src/contract/operations.ts";
import type { PushedCancellation } from "../../../src/contract/pushes.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../../src/journal/inline-projection.ts";
import { floorEvents } from "../play/floor-events.ts";
import { shareItemWords, takeCancellation, takePush } from "../play/words.ts";
import { openFactors } from "../sequences/factors.ts";
import { type BookedChange, type DueReceipt, dueReceipt, isReplaced, noteShown } from "./change-book.ts";
import {
  type Carrier,
  type Family,
  isAtWall,
  newFamily,
  pickedInFamily,
  pickedOf,
  takeBackCuts,
  wallId,
} from "./family.ts";
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
  readonly family: Family | undefined;
  /** Request ids with the amount that is offered, 0 for a cancelled line; null: no update; undefined: no step. */
  readonly offers?: ReadonlyMap<number, number> | null;
  /** Pieces to put aside, in the base unit; while the factor of a line of the item is in doubt, nobody can say. */
  readonly putAside?: ToldNow;
  readonly attach?: string;
  readonly isRetry?: boolean;
  readonly due: readonly DueReceipt[];
}

/** What the answer to an event adds to the changed facts. */
export type Answer = Omit<Expected, "family" | "due">;

export interface Model {
  readonly apply: (entry: ProjectionEntry) => Expected;
  readonly families: ReadonlyMap<string, Family>;
  readonly changes: readonly BookedChange[];
  /** Container codes with the number of the order on each. */
  readonly containers: ReadonlyMap<string, string>;
  readonly isFactorKnown: (family: Family, carrier: Carrier, key: string) => boolean;
}

export const familyNumber = (number: string): string => number.replace(/-F\d+$/, "");

const leastSilenceMs = 2 * 3_600_000;

/** Order changes during picking as behaviour.md describes them: facts in memory, and every amount worked out anew. */
export function openModel(needs: {
  readonly factorOf: (item: string) => number;
  readonly removedReceiptAfterMinutes: number;
}): Model {
  const { factorOf } = needs;
  const removedAfterMs = needs.removedReceiptAfterMinutes * 60_000;
  const silenceMs = Math.max(leastSilenceMs, removedAfterMs);
  const families = new Map<string, Family>();
  const changes: BookedChange[] = [];
  const containers = new Map<string, string>();
  const factors = openFactors();
  const events = floorEvents({ factors, factorOf, containers });

  const familyOf = (number: string): Family => {
    const known = families.get(familyNumber(number)) ?? newFamily(familyNumber(number));
    families.set(known.number, known);
    return known;
  };

  /** An offer with the last step, and silence after it, counts as taken over. */
  const settleSilent = (now: number) => {
    for (const family of families.values()) {
      for (const carrier of family.carriers) {
        if (carrier.lastOffer === undefined || now - carrier.lastOffer.at < silenceMs) continue;
        for (const { shown } of carrier.lines.values()) {
          // What the floor has given up since stays given up: an offer only ever lowers.
          for (const [id, amount] of carrier.lastOffer.amounts) {
            const present = shown?.get(id);
            if (present !== undefined) shown?.set(id, Math.min(present, amount));
          }
        }
        carrier.lastOffer = undefined;
        settle(family);
      }
    }
  };

  const settle = (family: Family) => {
    shareItemWords(family);
    for (const carrier of family.carriers) evenOutWall(family, carrier);
    for (const carrier of family.carriers) {
      if (carrier.state !== "running") continue;
      if (isAtWall(carrier) ? isWallDone(family, carrier) : isDone(family, carrier)) end(family, carrier);
    }
    reconcile(family, factors.isKnown);
  };

  const end = (_family: Family, carrier: Carrier) => {
    carrier.state = "ended";
    carrier.lastOffer = undefined;
    for (const [code, number] of containers) if (number === carrier.number) containers.delete(code);
  };

  const dispatch = (entry: ProjectionEntry, family: Family): Answer => {
    const { topic, payload, id, receivedAt: now } = entry;
    const filing = { family, changes, entryId: id, now, factorOf };
    switch (topic) {
      // The driver builds the payloads by these types.
      case "workOrders":
        takePush(payload as WorkOrder, filing);
        return {};
      case "cancellations":
        takeCancellation(payload as PushedCancellation, filing);
        return {};
      case "attachWorkOrder":
        return events.attach(payload as InputOf<"attachWorkOrder">, family);
      case "changeStatus":
        events.status(payload as InputOf<"changeStatus">, family, end);
        return {};
      case "cancelWorkOrderRequest":
        events.cancelLine(payload as InputOf<"cancelWorkOrderRequest">, family);
        return {};
      case "confirmPutWallPlacement":
        return events.place(payload as InputOf<"confirmPutWallPlacement">, family);
      case "cancelPutWallItem":
        events.cancelWallItem(payload as InputOf<"cancelPutWallItem">, family);
        return {};
      default:
        return events.step(payload as InputOf<"confirmStep">, family, now);
    }
  };

  return {
    ...{ families, changes, containers, isFactorKnown: factors.isKnown },
    apply: (entry) => {
      const isOfAnOrder = entry.topic !== "stock";
      const family = isOfAnOrder ? familyOf(orderNumberOf(entry.payload)) : undefined;
      const answer = family === undefined ? {} : dispatch(entry, family);
      if (family !== undefined) settle(family);
      settleSilent(entry.receivedAt);
      const when = { now: entry.receivedAt, removedAfterMs };
      const due = [...families.values()].flatMap((one) => {
        const own = changes.filter((change) => change.orderNumber === one.number && !change.isTold);
        noteShown(one, own);
        return own.filter((change) => !isReplaced(change)).flatMap((change) => dueReceipt(one, change, when) ?? []);
      });
      return { family, due, ...answer };
    },
  };
}

function orderNumberOf(payload: unknown): string {
  // Every payload of these topics names its order by one of the two.
  const { workOrderNumber, number } = payload as { workOrderNumber?: string; number?: string };
  return workOrderNumber ?? number ?? "";
}

/** At the put wall: what it was to bring lies there, and nothing more is wanted of it. */
function isWallDone(family: Family, carrier: Carrier): boolean {
  const lines = [...family.lines.values()].filter(({ key }) => carrier.lines.get(key)?.wallShown !== undefined);
  return lines.every((line) => {
    const asked = carrier.lines.get(line.key)?.wallAsked ?? 0;
    return pickedOf(carrier, line.key) >= Math.max(asked, targetsOf(family, line).targets.get(carrier) ?? 0);
  });
}

/** The wall names no line: what is too much of one line of an item is for another one that is short (33). */
function evenOutWall(family: Family, carrier: Carrier): void {
  const atWall = [...family.lines.values()].flatMap((line) => {
    const own = carrier.lines.get(line.key);
    const isByWall = own !== undefined && [...own.picks.keys()].every((id) => id === wallId);
    return own?.wallShown === undefined || !isByWall ? [] : [{ line, picks: own.picks }];
  });
  if (!family.isChanged) return;
  const shortOf = ({ line }: (typeof atWall)[number]) => stillWanted(line) - pickedInFamily(family, line.key);
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
  takeBackCuts(family, carrier);
}
