import { RequestType } from "../../../contract/enums.ts";
import type { PushedCancellation } from "../../../contract/pushes.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { FloorItem } from "../orders/generate-items.ts";
import { openAmount, type RunningLine } from "../orders/running-order.ts";
import { type Phase, type PlannedWord, phases } from "./change-plan.ts";
import {
  addLine,
  type Carrier,
  contentText,
  event,
  type Family,
  type FamilyLine,
  linesOf,
  noteAmounts,
  openIn,
  shareOut,
} from "./order-family.ts";

/** The external system as the sender of changes of one order. */
interface Speaker {
  readonly push: Caller["push"];
  readonly items: readonly FloorItem[];
  readonly onSpoken: (kind: PlannedWord["kind"]) => void;
}

/** Sends the changes that are due, one after the other. */
export async function speakDue(
  speaker: Speaker,
  family: Family,
  at: { readonly phase: Phase; readonly steps: number },
): Promise<void> {
  const { words } = family.plan;
  for (let [word] = words; word !== undefined && isDue(word, at); [word] = words) {
    words.shift();
    await speak(speaker, family, word);
  }
}

const isDue = (word: PlannedWord, { phase, steps }: { readonly phase: Phase; readonly steps: number }): boolean => {
  const [own, now] = [phases.indexOf(word.phase), phases.indexOf(phase)];
  return own < now || (own === now && word.step <= steps);
};

async function speak(speaker: Speaker, family: Family, { kind, draws, isTakenBack }: PlannedWord): Promise<void> {
  const [which, amount, form] = draws;
  const lines = [...family.lines.values()];
  const open = lines.filter(({ wanted }) => wanted > 0);
  const one = <Line>(some: readonly Line[]): Line | undefined => some[which % Math.max(1, some.length)];
  const before = new Map(lines.map(({ key, wanted }) => [key, wanted]));
  let isSaid = false;
  if (kind === "cancel-order" && open.length > 0) {
    isSaid = await cancel(speaker, family, {}, new Map(lines.map(({ key }) => [key, 0])));
  } else if (kind === "cancel-line") isSaid = await setLine(speaker, family, one(open), 0, form);
  else if (kind === "reduce-line") {
    const line = one(open.filter(({ wanted }) => wanted > 1));
    isSaid = await setLine(speaker, family, line, 1 + (amount % Math.max(1, (line?.wanted ?? 1) - 1)), form);
  } else if (kind === "raise-line") {
    const line = one(lines.filter(({ group }) => !isBlind(family, group)));
    const isPushed = form >= 15 || line?.wanted === 0;
    isSaid = await setLine(speaker, family, line, (line?.wanted ?? 0) + 1 + (amount % 5), isPushed ? 99 : 0);
  } else if (kind === "add-line") {
    const content = addedLine(speaker, family, draws);
    const isHidden = family.isPutWall && isBlind(family, content.itemNumber);
    const targets = isHidden ? before : new Map([...before, [addLine(family, content).key, 1 + (amount % 6)]]);
    isSaid = !isHidden && (await pushOrder(speaker, family, targets));
  } else if (kind === "push-again" && open.length > 0) isSaid = await pushOrder(speaker, family, before);
  else if (kind === "restore" && family.takenBack !== null) {
    const seen = [...family.takenBack].filter(([key]) => !isBlind(family, family.lines.get(key)?.group ?? ""));
    isSaid = seen.length > 0 && (await pushOrder(speaker, family, new Map([...before, ...seen])));
  }
  if (!isSaid) return;
  speaker.onSpoken(kind);
  if (isTakenBack === true) {
    const gone = lines.filter(({ key, wanted }) => wanted < (before.get(key) ?? 0));
    family.takenBack = new Map(gone.map(({ key }) => [key, before.get(key) ?? 0]));
  }
}

/** A new amount of one line: by its id, by its item if that is unambiguous, or by pushing the order again. */
async function setLine(
  speaker: Speaker,
  family: Family,
  line: FamilyLine | undefined,
  amount: number,
  form: number,
): Promise<boolean> {
  if (line === undefined) return false;
  const lines = [...family.lines.values()];
  const isAlone = lines.filter(({ content }) => content.itemNumber === line.content.itemNumber).length === 1;
  const targets = new Map([[line.key, amount]]);
  const reduced = amount > 0 ? { requestedAmount: amount } : {};
  if (form < 40) return cancel(speaker, family, { requestExternalIdentifier: line.key, ...reduced }, targets);
  if (form < 55 && isAlone) {
    return cancel(speaker, family, { itemNumber: line.content.itemNumber, ...reduced }, targets);
  }
  return pushOrder(speaker, family, new Map([...lines.map(({ key, wanted }) => [key, wanted] as const), ...targets]));
}

/** Records a cancellation or reduction that was pushed. */
export async function cancel(
  { push }: Pick<Speaker, "push">,
  family: Family,
  scope: Omit<PushedCancellation, "workOrderNumber">,
  targets: ReadonlyMap<string, number>,
): Promise<boolean> {
  const change = { workOrderNumber: family.number, ...scope, reason: "simulated" };
  const line = scope.requestExternalIdentifier ?? scope.itemNumber;
  const what = line === undefined ? "the whole order" : `line ${line} to ${scope.requestedAmount ?? 0}`;
  const ids = await push("cancellations", [change], { orders: [family.number], what });
  if (ids === null) return false;
  event(family, `cancellation: ${what}`);
  accept(family, targets);
  family.words.push({
    pushId: ids[0] ?? "",
    scope: line === undefined ? "order" : "line",
    targets,
    lowered: new Set(),
  });
  return true;
}

async function pushOrder({ push }: Speaker, family: Family, amounts: ReadonlyMap<string, number>): Promise<boolean> {
  const requests = [...family.lines.values()].flatMap(({ key, content }) => {
    const requestedAmount = amounts.get(key) ?? 0;
    return requestedAmount > 0 ? [{ ...content, requestedAmount }] : [];
  });
  // An order without lines is invalid; the external system would cancel it.
  if (requests.length === 0) return false;
  const order: WorkOrder = { ...family.order, requests };
  const ids = await push("workOrders", [order], { orders: [family.number], what: contentText(order) });
  if (ids === null) return false;
  event(family, `pushed again: ${contentText(order)}`);
  const changed = [...family.lines.values()].filter(({ key, wanted }) => (amounts.get(key) ?? 0) !== wanted);
  const lowered = new Set(
    changed
      .filter((line) => (amounts.get(line.key) ?? 0) < Math.min(line.wanted, mostHad(family, line)))
      .map(({ key }) => key),
  );
  const targets = new Map(changed.map(({ key }) => [key, amounts.get(key) ?? 0]));
  accept(family, targets);
  family.words.push({ pushId: ids[0] ?? "", scope: "push", targets, lowered });
  return true;
}

/** The largest amount of a line that the platform may have, in its own unit. */
const mostHad = ({ carriers }: Family, { group, factor }: FamilyLine): number =>
  carriers.reduce((sum, { everServed }) => sum + (everServed.get(group) ?? 0), 0) / factor;

/** The latest change counts, and what the floor cut short before it is wanted again. */
function accept(family: Family, targets: ReadonlyMap<string, number>): void {
  for (const [key, amount] of targets) {
    const line = family.lines.get(key);
    if (line === undefined) continue;
    const isBegun = family.carriers[0].state !== "waiting";
    if (isBegun && shareOut(family, line.group).waiting > 0) family.followedUp.add(line.group);
    if (line.wanted !== amount && family.cut.delete(line.group) && linesOf(family, line.group).length > 1) {
      // At a put wall it is unknown which of its lines the floor cut short.
      family.uncertain.add(line.group);
    }
    line.wanted = amount;
  }
  noteAmounts(family);
}

function addedLine({ items }: Speaker, family: Family, [which, , form]: PlannedWord["draws"]): RequestLine {
  const lines = [...family.lines.values()];
  const template = lines[0]?.content;
  const same = lines[which % lines.length]?.content.itemNumber;
  const item = (form < 30 ? items.find(({ number }) => number === same) : undefined) ?? items[which % items.length];
  if (template === undefined || item === undefined) throw new Error("an order without lines");
  return {
    ...template,
    itemNumber: item.number,
    itemName: item.name,
    unitOfMeasure: item.unit,
    lotNumber: null,
    requestExternalIdentifier: `${family.number}-${lines.length + 1}`,
    order: lines.length + 1,
    designatedLocationName: template.requestType === RequestType.PlaceItem ? item.location : null,
  };
}

/**
 * Whether the adapter assumes that the platform has more of a group than it really has, and no step will correct that:
 * the put wall shows no amounts, an update with an order's last step is never shown, and for a line that was fetched
 * again only a step shows whether it includes earlier picks. Any adapter would lose an amount that is added then, so
 * none is added.
 */
const isBlind = (family: Family, group: string): boolean =>
  family.carriers.some((carrier) => isBlindIn(family, carrier, group));

function isBlindIn(family: Family, carrier: Carrier, group: string): boolean {
  const { floor, state, isAtWall } = carrier;
  if (floor === null || state === "ended") return false;
  const own = floor.lines.filter((line) => groupOf(family, line) === group);
  const open = own.reduce((sum, line) => sum + openAmount(line), 0);
  if (isAtWall) return state === "waiting" || openIn(carrier, group) > open;
  if (own.some((line) => line.isRenewed && !line.isStepped)) return true;
  // An update that is not applied yet may end the order before its next step.
  if (floor.late !== null && own.length > 0) return true;
  const isOver = floor.lines.every((line) => openAmount(line) === 0);
  return isOver && state === "running" && openIn(carrier, group) > open;
}

const groupOf = (family: Family, { externalId, itemNumber }: RunningLine): string | undefined =>
  family.lines.get(externalId ?? itemNumber)?.group;
