import type { UpdateWorkOrderRequest } from "../../../contract/schemas/update-work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import { cancelOpen, type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import { concerns, type LineNames } from "../ledger/line-sight.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import type { Family, FamilyLine } from "./family.ts";
import { linesOfChange } from "./judge-change.ts";
import { bookModel, offerOf } from "./offer-changes.ts";

export interface Offer {
  /** The received model with the affected lines changed; null where nothing is to be changed. */
  readonly update: UpdateWorkOrderRequest | null;
  /** The order with every amount decided; undefined for one that never changed. */
  readonly family: Family | undefined;
}

/**
 * Compares the model a confirm step brought with what was decided for its lines. What it still shows as before is offered,
 * again and again until it is seen.
 */
export function takeModel(
  needs: ChangeNeeds,
  orderNumber: string,
  model: UpdateWorkOrderRequest | null | undefined,
  entry: ResidentEntry,
): Offer {
  const { ledger, changed } = needs;
  const known = changed.read(orderNumber);
  const received = model?.itemRequests ?? [];
  if (known === undefined || !model || received.length === 0) return { update: null, family: known };
  const accounts = bookModel(ledger, orderNumber, received);
  const before = changed.read(orderNumber);
  if (before === undefined) return { update: null, family: undefined };
  const isAbsent = bookAbsent(needs, before, orderNumber, accounts);
  const family = isAbsent ? (changed.read(orderNumber) ?? before) : before;
  const update = offerOf(family, orderNumber, model, accounts);
  if (update !== null) countOffers(needs, family, orderNumber, entry);
  return { update, family };
}

/**
 * Lines that the model leaves out. One that not every content served had: the platform fetched the order without it. One
 * that an answer had cancelled: the platform has dropped it. Any other may just not be listed.
 */
function bookAbsent(
  { ledger, table }: ChangeNeeds,
  family: Family,
  orderNumber: string,
  listed: readonly LedgerLine[],
): boolean {
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  const carrier = family.carriers[index];
  if (carrier === undefined) return false;
  const positions = new Set(listed.map(({ position }) => position));
  const offered = table.everOffered(family.root);
  const isLacking = (line: FamilyLine) =>
    carrier.served.some((content) => !content.some((served) => isSame(line, served)));
  let isAny = false;
  for (const line of family.lines) {
    const own = line.accounts[index] ?? [];
    if (own.some(({ position }) => positions.has(position))) continue;
    const isDropped = offered.some((scope) => concerns(scope, line));
    const gone = own.filter(
      (account) => remainingOf(account) > 0 && (account.factor === null ? isLacking(line) : isDropped),
    );
    for (const account of gone) ledger.book(cancelOpen(account));
    const held = carrier.served.flatMap((content) => content.filter((served) => isSame(line, served))).at(-1);
    const isNew = own.length === 0 && held !== undefined && isLacking(line);
    if (isNew) ledger.addAbsent(orderNumber, held);
    isAny = isAny || gone.length > 0 || isNew;
  }
  return isAny;
}

const isSame = (line: FamilyLine, served: LineNames) =>
  line.externalId === served.externalId && line.itemNumber === served.itemNumber && line.lot === served.lot;

/** The changes that this answer brings: those with a line that the platform shows more of than was decided. */
function countOffers({ table, ledger }: ChangeNeeds, family: Family, orderNumber: string, entry: ResidentEntry): void {
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  const isLowered = ({ facts, decision }: FamilyLine) =>
    facts.carriers[index]?.rows.some(({ shown }, row) => (shown ?? 0) > (decision?.targets[index]?.[row] ?? Infinity));
  const step = ledger.stepCount(family.root);
  for (const change of table.open(family.root)) {
    if (linesOfChange(family, change).some(isLowered)) table.countOffer(change, step, entry);
  }
}
