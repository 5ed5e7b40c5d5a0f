import type { ResidentEntry } from "../../../journal/resident.ts";
import { roundAmount } from "../ledger/ledger-line.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import { type Carrier, type Family, isCalledOff, isOver, isWaiting } from "./family.ts";
import { isReplaced, judgeChange } from "./judge-change.ts";
import { targetsOf } from "./offer-changes.ts";
import { writeContents } from "./write-contents.ts";

/**
 * After anything was said or booked: every order of the family gets the content that was decided for it, an order that
 * is done ends, and changes whose outcome is final get their receipt.
 */
export function settleFamily(needs: ChangeNeeds, orderNumber: string, entry: ResidentEntry): void {
  const { changed } = needs;
  const family = changed.read(orderNumber);
  if (family === undefined) {
    endIfDone(needs, orderNumber, false);
    return;
  }
  writeContents(needs, family, entry.receivedAt);
  const isOff = isCalledOff(family);
  let hasEnded = false;
  for (const { number } of family.carriers) hasEnded = endIfDone(needs, number, isOff) || hasEnded;
  giveReceipts(needs, hasEnded ? (changed.read(orderNumber) ?? family) : family, entry);
}

/** Ends an order in the store whose lines are all picked or cancelled. One that came by other ways has no known end. */
function endIfDone({ orders, ledger }: ChangeNeeds, orderNumber: string, isOff: boolean): boolean {
  if (!ledger.isSettled(orderNumber) || orders.stateOf(orderNumber) !== "started") return false;
  // Whoever scans a cancelled order is to put its goods aside.
  orders.setState(orderNumber, isOff ? "cancelled" : "finished");
  return true;
}

/** An order that never came here, and that the floor has not spoken of either. */
const isUnseen = ({ order, accounts }: Carrier): boolean => order === undefined && accounts.length === 0;

function giveReceipts({ table, ledger, orders }: ChangeNeeds, family: Family, entry: ResidentEntry): void {
  const open = table.open(family.root);
  if (open.length === 0) return;
  table.markBegun(
    family.root,
    family.carriers.some((carrier) => !isWaiting(carrier) && !isOver(carrier) && !isUnseen(carrier)),
  );
  for (const change of open) {
    if (isReplaced(family, change)) {
      table.supersede(change, entry);
      continue;
    }
    const judgement = judgeChange(family, change);
    if (judgement.isFinal) table.settle(change, judgement, ledger.stepCount(family.root), entry);
  }
  // A scan says how the order stands.
  orders.touch();
}

/**
 * Two things are told by silence. A change to an order that nobody has begun was in time. And the contract has no end of
 * an order: what went out with the last step was taken over, and nothing ever says so. Should a step come all the same,
 * its model is looked at as before.
 */
export function settleByTime(
  needs: ChangeNeeds,
  limits: { readonly untouchedBefore: number; readonly silentBefore: number },
  entry: ResidentEntry,
): void {
  const { table, changed, ledger } = needs;
  for (const root of table.untouchedSince(limits.untouchedBefore)) {
    const family = changed.read(root);
    if (family === undefined) continue;
    for (const change of table.open(root)) {
      table.settle(change, judgeChange(family, change), ledger.stepCount(root), entry);
    }
  }
  for (const root of table.silentSince(limits.silentBefore)) {
    const family = changed.read(root);
    if (family === undefined) continue;
    for (const { number } of family.carriers) takeOver(needs, family, number);
    settleFamily(needs, root, entry);
    // What cannot be said in the unit of the accounts stays open there rather than wrong; the change is over.
    const after = changed.read(root) ?? family;
    for (const change of table.open(root)) {
      table.settle(change, judgeChange(after, change), ledger.stepCount(root), entry);
    }
  }
}

/** Books what was offered as if the platform had shown it. */
function takeOver({ ledger }: ChangeNeeds, family: Family, orderNumber: string): void {
  const targets = targetsOf(family, orderNumber);
  for (const account of ledger.accountsOf(orderNumber)) {
    const target = targets.get(account.position);
    if (target === undefined || account.factor === null) continue;
    const cancelled = roundAmount(account.requested - Math.max(target, account.picked));
    if (cancelled > account.cancelled) ledger.book({ ...account, cancelled });
  }
}
