import { WorkOrderStatus } from "../../../src/contract/enums.ts";
import type { InputOf } from "../../../src/contract/operations.ts";
import { bookStep, type ShownModelLine } from "../model/book-step.ts";
import { isLeftOut } from "../model/left-out.ts";
import type { Answer } from "../model/model.ts";
import {
  countedFor,
  largestServed,
  lastContent,
  type MemberLine,
  type MemberOrder,
  mayHold,
  memberLine,
  noteGivenUp,
  type OrderGroup,
  pickedInGroup,
  pickedOf,
  shownOf,
  takeBackCuts,
  wallId,
} from "../model/order-group.ts";
import { asideIn, isNothingLeft, stillWanted, targetsOf } from "../model/reconcile.ts";
import type { Factors } from "../sequences/factors.ts";
import { shareItemAmounts } from "./apply-changes.ts";
import { offersFor } from "./offers-for.ts";

function begin(member: MemberOrder): void {
  if (member.state !== "waiting") return;
  member.state = "running";
  member.servedAtBegin = member.served.length;
}

const memberOf = (group: OrderGroup, number: string): MemberOrder | undefined =>
  group.members.find((member) => member.number === number);

const newOffer = (amounts: ReadonlyMap<number, number>, at: number): MemberOrder["lastOffer"] =>
  amounts.size === 0 ? undefined : { at, amounts };

/**
 * A step without a model says nothing about the other lines: what was offered for them is still out. Its own line it shows;
 * if that is still more than was offered, the platform has not taken it over.
 */
function stillOffered({ lastOffer }: MemberOrder, step: InputOf<"confirmStep">, at: number): MemberOrder["lastOffer"] {
  if (lastOffer === undefined) return undefined;
  const shown = step.requestAmountInBaseUnitOfMeasure ?? null;
  const amounts = [...lastOffer.amounts].filter(
    ([id, amount]) => id !== step.requestId || shown === null || shown <= amount,
  );
  return newOffer(new Map(amounts), at);
}

/** A model says nothing about lines that it does not list: what was offered for them is still out. */
function offeredBeside({ lastOffer, lines }: MemberOrder, model: readonly ShownModelLine[]): [number, number][] {
  const listed = new Set(model.map(({ key }) => key));
  const isOther = (id: number) => [...lines].some(([key, { shown }]) => !listed.has(key) && shown?.has(id));
  return [...(lastOffer?.amounts ?? [])].filter(([id]) => isOther(id));
}

/** Something was picked under a request id that is no longer shown. */
const isFetchedAgain = (line: MemberLine | undefined): boolean =>
  [...(line?.picks ?? [])].some(([id, amount]) => amount > 0 && id !== wallId && line?.shown?.has(id) === false);

/** What each event of the platform does to the facts, and what its answer has to say. */
export function floorEvents(needs: {
  readonly factors: Factors;
  readonly factorOf: (item: string) => number;
  readonly containers: Map<string, string>;
}) {
  const { factors, factorOf, containers } = needs;

  const openTarget = (group: OrderGroup, member: MemberOrder, key: string): number => {
    const line = group.lines.get(key);
    if (line === undefined || line.wanted === Number.POSITIVE_INFINITY) return 0;
    return Math.max(0, (targetsOf(group, line).targets.get(member) ?? 0) - pickedOf(member, key));
  };
  /** What the group is short of, whichever order was to bring it. */
  const shortOf = (group: OrderGroup, key: string): number => {
    const line = group.lines.get(key);
    if (line === undefined || line.wanted === Number.POSITIVE_INFINITY) return 0;
    return Math.max(0, stillWanted(line) - pickedInGroup(group, key));
  };
  const shortPick = (group: OrderGroup, member: MemberOrder, key: string, amount: number) => {
    const line = group.lines.get(key);
    if (line === undefined) return;
    line.shortPicked += amount;
    memberLine(member, key).shortPicked += amount;
  };
  const isSure = (group: OrderGroup, item: string): boolean => {
    const keys = [...group.lines.values()].filter((line) => line.item === item).map(({ key }) => key);
    return group.members.every((one) => keys.every((key) => factors.isKnown(group, one, key)));
  };
  /** What nobody was told yet; from now on it is told. */
  const tell = (group: OrderGroup, member: MemberOrder, item: string): number => {
    const amount = isSure(group, item) ? asideIn(group, member, item) : 0;
    const now = Math.max(0, amount - (member.toldAside.get(item) ?? 0));
    member.toldAside.set(item, amount);
    return now;
  };
  const asideFor = (group: OrderGroup, member: MemberOrder, item: string): Answer => {
    const lines = [...group.lines.values()];
    if (group.undecided !== undefined) return {};
    if (lines.every((line) => line.item !== item)) return {};
    // An order that never changed and was fetched once tells of pieces beyond a line, and of nothing else.
    const isAgain = lines.some((line) => line.item === item && isFetchedAgain(member.lines.get(line.key)));
    if (!group.isChanged && !isAgain) return {};
    const isStop = isNothingLeft(group, member, factors.isKnown);
    // Whoever is to stop is told of all items at once.
    const items = isStop ? new Set(lines.map((line) => line.item)) : new Set([item]);
    const amounts = new Map([...items].map((one) => [one, tell(group, member, one)]));
    return {
      putAside: { item, amount: amounts.get(item) ?? 0, factor: factorOf(item), isStop, isSure: isSure(group, item) },
    };
  };

  return {
    step: (step: InputOf<"confirmStep">, group: OrderGroup, now: number): Answer => {
      const member = memberOf(group, step.workOrderNumber);
      if (member === undefined) throw new Error(`the model has no order ${step.workOrderNumber}`);
      begin(member);
      const { item, model, isRetry } = bookStep({ step, group, member, factors, factorOf });
      takeBackCuts(group, member);
      shareItemAmounts(group);
      member.steps += 1;
      const offers = offersFor({ group, member, model, isKnown: factors.isKnown });
      member.lastOffer =
        model.length === 0
          ? stillOffered(member, step, now)
          : newOffer(new Map([...offeredBeside(member, model), ...offers]), now);
      return { offers: offers.size === 0 ? null : offers, isRetry, ...asideFor(group, member, item) };
    },

    place: (placing: InputOf<"confirmPutWallPlacement">, group: OrderGroup): Answer => {
      const member = memberOf(group, placing.workOrderNumber);
      const ofItem = [...group.lines.values()].filter(({ item }) => item === placing.itemNumber);
      if (member === undefined || ofItem.length === 0) return {};
      const held = ofItem.filter(({ key }) => mayHold(member, key));
      const lines = held.length > 0 ? held : ofItem;
      const isPickedByStep = ({ picks }: { picks: ReadonlyMap<number, number> }) =>
        [...picks.keys()].some((id) => id !== wallId);
      // The same goods, being sorted: nothing more is picked by it.
      if (lines.some(({ key }) => isPickedByStep(memberLine(member, key))))
        return asideFor(group, member, placing.itemNumber);
      begin(member);
      const present = member.content.size > 0 ? member.content : lastContent(group, member);
      for (const key of group.lines.keys()) {
        const served = largestServed(member, key);
        if (served === 0) continue;
        const line = memberLine(member, key);
        if (line.wallShown === undefined) line.wallAsked = present?.get(key) ?? 0;
        line.wallShown ??= served;
        line.largestShown = Math.max(line.largestShown, line.wallShown);
      }
      if (ofItem.length > 1) {
        group.isByItem = true;
        // Which of them the wall fills first, and when it is done with them, is left open.
        if (group.isChanged && isLeftOut("lines-at-wall")) group.undecided ??= "several lines of an item at the wall";
      }
      let left = placing.completedAmount * factorOf(placing.itemNumber);
      const fill = (key: string, room: number) => {
        const { picks } = memberLine(member, key);
        const share = Math.max(0, Math.min(left, room));
        picks.set(wallId, (picks.get(wallId) ?? 0) + share);
        left -= share;
      };
      // The wall names the item: what any line of it wants is served first, and only then is anything too much (33).
      const wants = lines.map(({ key }) => openTarget(group, member, key));
      for (const [index, { key }] of lines.entries()) {
        const line = memberLine(member, key);
        const asked = pickedOf(member, key) + (wants[index] ?? 0);
        line.wallAsked = Math.max(line.wallAsked, Math.min(line.wallShown ?? 0, asked));
        fill(key, wants[index] ?? 0);
      }
      // Also where another order was to bring it: goods that lie there are not put aside while a line of the item is short.
      for (const { key } of lines) fill(key, shortOf(group, key));
      // Nobody wants the rest: it is what the wall was still to bring, then what it may have been asked for before, and the
      // last line takes what is left.
      for (const { key } of lines) fill(key, memberLine(member, key).wallAsked - pickedOf(member, key));
      for (const { key } of lines) fill(key, (shownOf(member, key) ?? 0) - pickedOf(member, key));
      fill(lines.at(-1)?.key ?? "", left);
      takeBackCuts(group, member);
      return asideFor(group, member, placing.itemNumber);
    },

    cancelWallItem: ({ workOrderNumber, itemNumber }: InputOf<"cancelPutWallItem">, group: OrderGroup) => {
      const member = memberOf(group, workOrderNumber);
      if (member === undefined) return;
      for (const { key, item } of group.lines.values()) {
        if (item !== itemNumber) continue;
        shortPick(group, member, key, openTarget(group, member, key));
        memberLine(member, key).wallShown = pickedOf(member, key);
        memberLine(member, key).wallAsked = 0;
        noteGivenUp(member, key);
      }
    },

    cancelLine: ({ workOrderNumber, request }: InputOf<"cancelWorkOrderRequest">, group: OrderGroup) => {
      const member = memberOf(group, workOrderNumber);
      const id = request?.requestId ?? 0;
      for (const [key, line] of member?.lines ?? []) {
        const amount = line.shown?.get(id);
        if (member === undefined || amount === undefined) continue;
        // In the line's own unit nobody knows how much that is.
        if (!factors.isKnown(group, member, key)) group.undecided ??= "a short pick while the factor is in doubt";
        const before = openTarget(group, member, key);
        line.shown?.set(id, countedFor(line, id));
        // What another line that nothing tells apart from it still brings is not cut short.
        shortPick(group, member, key, before - openTarget(group, member, key));
        noteGivenUp(member, key);
      }
    },

    status: (
      { number, status }: InputOf<"changeStatus">,
      group: OrderGroup,
      end: (group: OrderGroup, member: MemberOrder) => void,
    ) => {
      const member = memberOf(group, number);
      if (member === undefined || member.state !== "running") return;
      if (status === WorkOrderStatus.Abandoned) {
        member.state = "waiting";
        member.lastOffer = undefined;
        member.lines.clear();
        return;
      }
      const ends: readonly unknown[] = [
        ...[WorkOrderStatus.Completed, WorkOrderStatus.Canceled, WorkOrderStatus.CompletedWithCancelations],
      ];
      if (!ends.includes(status)) return;
      for (const key of group.lines.keys()) {
        shortPick(group, member, key, openTarget(group, member, key));
        const line = member.lines.get(key);
        if (line?.wallShown !== undefined) line.wallShown = pickedOf(member, key);
        if (line !== undefined) line.hadWhenShortPicked = pickedOf(member, key);
      }
      end(group, member);
    },

    attach: (given: InputOf<"attachWorkOrder">, group: OrderGroup): Answer => {
      const { workOrderNumber: number, containerCode: code } = given;
      const member = memberOf(group, number);
      const isRelease = given.isAbandonedOrCancelled === true;
      const mine = [...containers].find(([, order]) => order === number)?.[0];
      if (isRelease) {
        if (mine === code) containers.delete(code);
        return { attach: "Success" };
      }
      if (!group.isPushed || member === undefined) return { attach: "WorkOrderDoesNotExist" };
      if (code.trim() === "") return { attach: "InvalidContainer" };
      if (mine !== undefined && mine !== code) return { attach: "WorkOrderAlreadyAttached" };
      if (containers.has(code) && containers.get(code) !== number) return { attach: "ContainerAlreadyAttached" };
      containers.set(code, number);
      begin(member);
      return { attach: "Success" };
    },
  };
}
