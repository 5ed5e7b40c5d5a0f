import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { UpdateWorkOrderRequest } from "../../../contract/schemas/update-work-order.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import { type Carrier, event, type Family, linesOf, mayBeUncertain, pickedOf, shareOut } from "./order-family.ts";

interface AnsweredStep {
  readonly running: RunningOrder;
  readonly carrier: Carrier;
  /** The model as it was sent, and as it came back; null if nothing was to be changed. */
  readonly model: UpdateWorkOrderRequest;
  readonly update: UpdateWorkOrderRequest | null;
  readonly message: string | null;
}

/** Compares the offer in a step's answer with what is wanted: every line that shows too much, and no other line. */
export function expectOffer(family: Family, step: AnsweredStep, tally: Tally): void {
  const { running, carrier, model, update, message } = step;
  for (const shown of model.itemRequests ?? []) {
    const line = running.lines.find(({ requestId }) => requestId === shown.requestId);
    const key = line?.externalId ?? line?.itemNumber ?? "";
    const group = family.lines.get(key)?.group;
    if (line === undefined || group === undefined || linesOf(family, group).length > 1) continue;
    const told = (carrier.picked.get(group) ?? 0) - line.before;
    const amount = shown.isCancelled === true ? told : (shown.requestedAmount ?? 0);
    const target = Math.max(told, (shareOut(family, group).targets.get(carrier) ?? 0) - line.before);
    const expected = Math.min(amount, target);
    if (mayBeUncertain(family, group) && message !== null) family.uncertain.add(group);
    const found = offeredFor(update, shown.requestId ?? null, amount, told);
    if (found === expected) continue;
    // Fetched again and no step since: it is unknown whether it includes earlier picks.
    if (line.isRenewed && !line.isStepped) continue;
    if (mayBeUncertain(family, group) && found === amount && message !== null) continue;
    tally.note({
      kind: "change",
      order: running.order.number,
      item: line.itemNumber,
      text:
        expected < amount && found === amount
          ? `a change pushed before the step did not come with its answer (line ${key})`
          : `the answer to a step offers another amount than is wanted (line ${key})`,
      expected: `${expected} of ${amount}`,
      found: `${found}`,
      calls: [...family.history],
    });
  }
}

/** The amount of a line that the platform would have after applying the answer. */
function offeredFor(
  update: UpdateWorkOrderRequest | null,
  requestId: number | null,
  amount: number,
  picked: number,
): number {
  const offered = update?.itemRequests?.find((one) => one.requestId === requestId);
  if (offered === undefined) return amount;
  return offered.isCancelled === true ? picked : (offered.requestedAmount ?? amount);
}

/** An operator who holds more of an item than is wanted must be told how many pieces to put aside. */
export function expectWarning(
  family: Family,
  { item, order, message }: { readonly item: string; readonly order: string; readonly message: string | null },
  tally: Tally,
): void {
  const lines = [...family.lines.values()].filter(({ content }) => content.itemNumber === item);
  const [first] = lines;
  if (first === undefined) return;
  const groups = new Set(lines.map(({ group }) => group));
  const picked = [...groups].reduce((sum, group) => sum + pickedOf(family, group), 0);
  const wanted = lines.reduce((sum, line) => sum + line.wanted, 0);
  // Numbers of orders and items contain digits too.
  const text = message?.replaceAll(order, "").replaceAll(item, "") ?? null;
  const note = (what: string, expected: string) =>
    tally.note({
      kind: "change",
      order,
      item,
      text: what,
      expected,
      found: message ?? "no text",
      calls: [...family.history],
    });
  const tooMuch = picked / first.factor - wanted;
  // The surplus if both amounts were read in the same unit.
  const misread = picked - wanted;
  if (tooMuch <= 0 && misread > 0 && isNamed(misread, text)) {
    note("the operator is told to put goods aside that are wanted", "no such text");
  }
  if (first.unit !== UnitOfMeasure.Piece || tooMuch <= 0 || isNamed(tooMuch, text)) return;
  note("the operator is not told how many pieces to put aside", `a text with ${tooMuch}`);
}

const isNamed = (amount: number, message: string | null): boolean =>
  new RegExp(`(?<!\\d)${amount}(?!\\d)`).test((message ?? "").replace(/(?<=\d)[\s.,](?=\d{3}(?!\d))/g, ""));

/** One line of the history for a step and its result. */
export function eventStep(family: Family, what: string, { running, model, update, message }: AnsweredStep): void {
  const lines = (model.itemRequests ?? []).map((one) => {
    const offered = update?.itemRequests?.find(({ requestId }) => requestId === one.requestId);
    const now = offered?.isCancelled === true ? "cancelled" : (offered?.requestedAmount ?? one.requestedAmount);
    const before = one.isCancelled === true ? "cancelled" : one.requestedAmount;
    return `${one.requestId}=${one.externalIdentifier} ${before}${now === before || before === "cancelled" ? "" : ` offered ${now}`}`;
  });
  event(
    family,
    `${running.order.number} step ${what}; shown ${lines.join(", ")}${message === null ? "" : `; "${message}"`}`,
  );
}
