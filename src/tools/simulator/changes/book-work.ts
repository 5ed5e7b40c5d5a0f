import type { UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import { add } from "../books/books.ts";
import type { RunningLine, RunningOrder } from "../orders/running-order.ts";
import { type Carrier, carrierOf, event, type Family, groupsOf, mayHave, openIn, shareOut } from "./order-family.ts";

/** Work has started: from now on the order is not rewritten. */
export function begin(family: Family, number: string): Carrier {
  const carrier = carrierOf(family, number);
  if (carrier.state !== "waiting") return carrier;
  if (number !== family.number) {
    for (const group of groupsOf(family)) mayHave(carrier, group, shareOut(family, group).waiting);
  }
  carrier.state = "running";
  return carrier;
}

interface Step {
  readonly running: RunningOrder;
  readonly line: RunningLine;
  readonly amount: number;
  /** The model that the step contained. */
  readonly model: UpdateWorkOrderRequest;
}

/** A confirmed step: the picked amount, and the amounts in its model. */
export function bookStep(family: Family, { running, line, amount, model }: Step): Carrier {
  const carrier = begin(family, running.order.number);
  carrier.floor = running;
  const group = groupOf(family, line);
  if (group !== undefined) add(carrier.picked, group, amount);
  line.isStepped = true;
  const shown = new Map<string, number>();
  for (const one of model.itemRequests ?? []) {
    const own = running.lines.find(({ requestId }) => requestId === one.requestId);
    const ownGroup = own === undefined ? undefined : groupOf(family, own);
    if (own === undefined || ownGroup === undefined) continue;
    const open = one.isCancelled === true ? own.picked : (one.requestedAmount ?? 0);
    add(shown, ownGroup, open + own.before);
  }
  carrier.shown.clear();
  for (const [key, amountShown] of shown) carrier.shown.set(key, amountShown);
  carrier.isShown = true;
  return carrier;
}

/** A placement at the put wall. It shows no amounts, so the largest content served counts as the platform's. */
export function bookPlacement(family: Family, number: string, line: RunningLine, amount: number): Carrier {
  const carrier = begin(family, number);
  if (!carrier.isShown) {
    for (const [group, most] of carrier.mostServed) carrier.shown.set(group, most);
    carrier.isShown = true;
  }
  const group = groupOf(family, line);
  if (group !== undefined) add(carrier.picked, group, amount);
  event(family, `${number} placed ${amount} of ${line.itemNumber}`);
  return carrier;
}

/** The floor has cut these lines short. */
export function bookCut(family: Family, number: string, lines: readonly RunningLine[]): void {
  const carrier = begin(family, number);
  for (const group of new Set(lines.map((line) => groupOf(family, line))))
    if (group !== undefined) cut(family, carrier, group);
  event(family, `${number} gave up ${lines.map(({ externalId }) => externalId).join(", ")}`);
}

/** The platform has reported that the order is finished. */
export function bookEnd(family: Family, number: string): void {
  const carrier = begin(family, number);
  for (const group of groupsOf(family)) cut(family, carrier, group);
  carrier.state = "ended";
  event(family, `${number} ended`);
}

function cut(family: Family, carrier: Carrier, group: string): void {
  const picked = carrier.picked.get(group) ?? 0;
  const given = (shareOut(family, group).targets.get(carrier) ?? picked) - picked;
  // If the order has shown no amounts, the amount that was cut short is unknown too.
  if (given > 0 && Number.isFinite(openIn(carrier, group))) add(family.cut, group, given);
  carrier.shown.set(group, picked);
}

const groupOf = (family: Family, { externalId, itemNumber }: RunningLine): string | undefined =>
  family.lines.get(externalId ?? itemNumber)?.group;
