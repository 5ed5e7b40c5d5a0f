import { WorkOrderStatus } from "../../../src/contract/enums.ts";
import type { InputOf } from "../../../src/contract/operations.ts";
import { bookStep, type ShownModelLine } from "../model/book-step.ts";
import {
  type Carrier,
  type CarrierLine,
  carrierLine,
  countedFor,
  type Family,
  largestServed,
  lastContent,
  mayHold,
  noteGivenUp,
  pickedInFamily,
  pickedOf,
  shownOf,
  takeBackCuts,
  wallId,
} from "../model/family.ts";
import { isLeftOut } from "../model/left-out.ts";
import type { Answer } from "../model/model.ts";
import { asideIn, isNothingLeft, stillWanted, targetsOf } from "../model/reconcile.ts";
import type { Factors } from "../sequences/factors.ts";
import { offersFor } from "./offers-for.ts";
import { shareItemWords } from "./words.ts";

function begin(carrier: Carrier): void {
  if (carrier.state !== "waiting") return;
  carrier.state = "running";
  carrier.servedAtBegin = carrier.served.length;
}

const carrierOf = (family: Family, number: string): Carrier | undefined =>
  family.carriers.find((carrier) => carrier.number === number);

const newOffer = (amounts: ReadonlyMap<number, number>, at: number): Carrier["lastOffer"] =>
  amounts.size === 0 ? undefined : { at, amounts };

/**
 * A step without a model says nothing about the other lines: what was offered for them is still out. Its own line it shows;
 * if that is still more than was offered, the platform has not taken it over.
 */
function stillOffered({ lastOffer }: Carrier, step: InputOf<"confirmStep">, at: number): Carrier["lastOffer"] {
  if (lastOffer === undefined) return undefined;
  const shown = step.requestAmountInBaseUnitOfMeasure ?? null;
  const amounts = [...lastOffer.amounts].filter(
    ([id, amount]) => id !== step.requestId || shown === null || shown <= amount,
  );
  return newOffer(new Map(amounts), at);
}

/** A model says nothing about lines that it does not list: what was offered for them is still out. */
function offeredBeside({ lastOffer, lines }: Carrier, model: readonly ShownModelLine[]): [number, number][] {
  const listed = new Set(model.map(({ key }) => key));
  const isOther = (id: number) => [...lines].some(([key, { shown }]) => !listed.has(key) && shown?.has(id));
  return [...(lastOffer?.amounts ?? [])].filter(([id]) => isOther(id));
}

/** Something was picked under a request id that is no longer shown. */
const isFetchedAgain = (line: CarrierLine | undefined): boolean =>
  [...(line?.picks ?? [])].some(([id, amount]) => amount > 0 && id !== wallId && line?.shown?.has(id) === false);

/** What each event of the platform does to the facts, and what its answer has to say. */
export function floorEvents(needs: {
  readonly factors: Factors;
  readonly factorOf: (item: string) => number;
  readonly containers: Map<string, string>;
}) {
  const { factors, factorOf, containers } = needs;

  const openTarget = (family: Family, carrier: Carrier, key: string): number => {
    const line = family.lines.get(key);
    if (line === undefined || line.wanted === Number.POSITIVE_INFINITY) return 0;
    return Math.max(0, (targetsOf(family, line).targets.get(carrier) ?? 0) - pickedOf(carrier, key));
  };
  /** What the family is short of, whichever order was to bring it. */
  const shortOf = (family: Family, key: string): number => {
    const line = family.lines.get(key);
    if (line === undefined || line.wanted === Number.POSITIVE_INFINITY) return 0;
    return Math.max(0, stillWanted(line) - pickedInFamily(family, key));
  };
  const cut = (family: Family, carrier: Carrier, key: string, amount: number) => {
    const line = family.lines.get(key);
    if (line === undefined) return;
    line.cut += amount;
    carrierLine(carrier, key).cut += amount;
  };
  const isSure = (family: Family, item: string): boolean => {
    const keys = [...family.lines.values()].filter((line) => line.item === item).map(({ key }) => key);
    return family.carriers.every((one) => keys.every((key) => factors.isKnown(family, one, key)));
  };
  /** What nobody was told yet; from now on it is told. */
  const tell = (family: Family, carrier: Carrier, item: string): number => {
    const amount = isSure(family, item) ? asideIn(family, carrier, item) : 0;
    const now = Math.max(0, amount - (carrier.toldAside.get(item) ?? 0));
    carrier.toldAside.set(item, amount);
    return now;
  };
  const asideFor = (family: Family, carrier: Carrier, item: string): Answer => {
    const lines = [...family.lines.values()];
    if (family.openQuery !== undefined) return {};
    if (lines.every((line) => line.item !== item)) return {};
    // An order that never changed and was fetched once tells of pieces beyond a line, and of nothing else.
    const isAgain = lines.some((line) => line.item === item && isFetchedAgain(carrier.lines.get(line.key)));
    if (!family.isChanged && !isAgain) return {};
    const isStop = isNothingLeft(family, carrier, factors.isKnown);
    // Whoever is to stop is told of all items at once.
    const items = isStop ? new Set(lines.map((line) => line.item)) : new Set([item]);
    const amounts = new Map([...items].map((one) => [one, tell(family, carrier, one)]));
    return {
      putAside: { item, amount: amounts.get(item) ?? 0, factor: factorOf(item), isStop, isSure: isSure(family, item) },
    };
  };

  return {
    step: (step: InputOf<"confirmStep">, family: Family, now: number): Answer => {
      const carrier = carrierOf(family, step.workOrderNumber);
      if (carrier === undefined) throw new Error(`the model has no order ${step.workOrderNumber}`);
      begin(carrier);
      const { item, model, isRetry } = bookStep({ step, family, carrier, factors, factorOf });
      takeBackCuts(family, carrier);
      shareItemWords(family);
      carrier.steps += 1;
      const offers = offersFor({ family, carrier, model, isKnown: factors.isKnown });
      carrier.lastOffer =
        model.length === 0
          ? stillOffered(carrier, step, now)
          : newOffer(new Map([...offeredBeside(carrier, model), ...offers]), now);
      return { offers: offers.size === 0 ? null : offers, isRetry, ...asideFor(family, carrier, item) };
    },

    place: (placing: InputOf<"confirmPutWallPlacement">, family: Family): Answer => {
      const carrier = carrierOf(family, placing.workOrderNumber);
      const ofItem = [...family.lines.values()].filter(({ item }) => item === placing.itemNumber);
      if (carrier === undefined || ofItem.length === 0) return {};
      const held = ofItem.filter(({ key }) => mayHold(carrier, key));
      const lines = held.length > 0 ? held : ofItem;
      const isPickedByStep = ({ picks }: { picks: ReadonlyMap<number, number> }) =>
        [...picks.keys()].some((id) => id !== wallId);
      // The same goods, being sorted: nothing more is picked by it.
      if (lines.some(({ key }) => isPickedByStep(carrierLine(carrier, key))))
        return asideFor(family, carrier, placing.itemNumber);
      begin(carrier);
      const present = carrier.content.size > 0 ? carrier.content : lastContent(family, carrier);
      for (const key of family.lines.keys()) {
        const served = largestServed(carrier, key);
        if (served === 0) continue;
        const line = carrierLine(carrier, key);
        if (line.wallShown === undefined) line.wallAsked = present?.get(key) ?? 0;
        line.wallShown ??= served;
        line.largestShown = Math.max(line.largestShown, line.wallShown);
      }
      if (ofItem.length > 1) {
        family.isByItem = true;
        // Which of them the wall fills first, and when it is done with them, is left open.
        if (family.isChanged && isLeftOut("lines-at-wall")) family.openQuery ??= "several lines of an item at the wall";
      }
      let left = placing.completedAmount * factorOf(placing.itemNumber);
      const fill = (key: string, room: number) => {
        const { picks } = carrierLine(carrier, key);
        const share = Math.max(0, Math.min(left, room));
        picks.set(wallId, (picks.get(wallId) ?? 0) + share);
        left -= share;
      };
      // The wall names the item: what any line of it wants is served first, and only then is anything too much (33).
      const wants = lines.map(({ key }) => openTarget(family, carrier, key));
      for (const [index, { key }] of lines.entries()) {
        const line = carrierLine(carrier, key);
        const asked = pickedOf(carrier, key) + (wants[index] ?? 0);
        line.wallAsked = Math.max(line.wallAsked, Math.min(line.wallShown ?? 0, asked));
        fill(key, wants[index] ?? 0);
      }
      // Also where another order was to bring it: goods that lie there are not put aside while a line of the item is short.
      for (const { key } of lines) fill(key, shortOf(family, key));
      // Nobody wants the rest: it is what the wall was still to bring, then what it may have been asked for before, and the
      // last line takes what is left.
      for (const { key } of lines) fill(key, carrierLine(carrier, key).wallAsked - pickedOf(carrier, key));
      for (const { key } of lines) fill(key, (shownOf(carrier, key) ?? 0) - pickedOf(carrier, key));
      fill(lines.at(-1)?.key ?? "", left);
      takeBackCuts(family, carrier);
      return asideFor(family, carrier, placing.itemNumber);
    },

    cancelWallItem: ({ workOrderNumber, itemNumber }: InputOf<"cancelPutWallItem">, family: Family) => {
      const carrier = carrierOf(family, workOrderNumber);
      if (carrier === undefined) return;
      for (const { key, item } of family.lines.values()) {
        if (item !== itemNumber) continue;
        cut(family, carrier, key, openTarget(family, carrier, key));
        carrierLine(carrier, key).wallShown = pickedOf(carrier, key);
        carrierLine(carrier, key).wallAsked = 0;
        noteGivenUp(carrier, key);
      }
    },

    cancelLine: ({ workOrderNumber, request }: InputOf<"cancelWorkOrderRequest">, family: Family) => {
      const carrier = carrierOf(family, workOrderNumber);
      const id = request?.requestId ?? 0;
      for (const [key, line] of carrier?.lines ?? []) {
        const amount = line.shown?.get(id);
        if (carrier === undefined || amount === undefined) continue;
        // In the line's own unit nobody knows how much that is.
        if (!factors.isKnown(family, carrier, key)) family.openQuery ??= "a short pick while the factor is in doubt";
        const before = openTarget(family, carrier, key);
        line.shown?.set(id, countedFor(line, id));
        // What another line that nothing tells apart from it still brings is not cut short.
        cut(family, carrier, key, before - openTarget(family, carrier, key));
        noteGivenUp(carrier, key);
      }
    },

    status: (
      { number, status }: InputOf<"changeStatus">,
      family: Family,
      end: (family: Family, carrier: Carrier) => void,
    ) => {
      const carrier = carrierOf(family, number);
      if (carrier === undefined || carrier.state !== "running") return;
      if (status === WorkOrderStatus.Abandoned) {
        carrier.state = "waiting";
        carrier.lastOffer = undefined;
        carrier.lines.clear();
        return;
      }
      const ends: readonly unknown[] = [
        ...[WorkOrderStatus.Completed, WorkOrderStatus.Canceled, WorkOrderStatus.CompletedWithCancelations],
      ];
      if (!ends.includes(status)) return;
      for (const key of family.lines.keys()) {
        cut(family, carrier, key, openTarget(family, carrier, key));
        const line = carrier.lines.get(key);
        if (line?.wallShown !== undefined) line.wallShown = pickedOf(carrier, key);
        if (line !== undefined) line.hadWhenCut = pickedOf(carrier, key);
      }
      end(family, carrier);
    },

    attach: (given: InputOf<"attachWorkOrder">, family: Family): Answer => {
      const { workOrderNumber: number, containerCode: code } = given;
      const carrier = carrierOf(family, number);
      const isRelease = given.isAbandonedOrCancelled === true;
      const mine = [...containers].find(([, order]) => order === number)?.[0];
      if (isRelease) {
        if (mine === code) containers.delete(code);
        return { attach: "Success" };
      }
      if (!family.isPushed || carrier === undefined) return { attach: "WorkOrderDoesNotExist" };
      if (code.trim() === "") return { attach: "InvalidContainer" };
      if (mine !== undefined && mine !== code) return { attach: "WorkOrderAlreadyAttached" };
      if (containers.has(code) && containers.get(code) !== number) return { attach: "ContainerAlreadyAttached" };
      containers.set(code, number);
      begin(carrier);
      return { attach: "Success" };
    },
  };
}
