import type { UpdateWorkOrderRequest } from "../../../contract/schemas/update-work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import { type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import type { Family, FamilyLine } from "./family.ts";
import { linesOfChange } from "./judge-change.ts";
import { bookModel, offerOf } from "./offer-changes.ts";
import type { ChangeNeeds } from "./change-needs.ts";

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
  const { ledger, wanted, changed } = needs;
  if (!wanted.has(orderNumber)) return { update: null, family: undefined };
  const received = model?.itemRequests ?? [];
  if (!model || received.length === 0) return { update: null, family: changed.read(orderNumber) };
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
 * A line that the model leaves out and that not every content served had: the platform fetched the order without it.
 * Where every content had it, the model may just not list it.
 */
function bookAbsent(
  { ledger }: ChangeNeeds,
  family: Family,
  orderNumber: string,
  listed: readonly LedgerLine[],
): boolean {
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  const carrier = family.carriers[index];
  if (carrier === undefined) return false;
  const positions = new Set(listed.map(({ position }) => position));
  const isLacking = (line: FamilyLine) =>
    carrier.served.some((content) => !content.some((served) => isSame(line, served)));
  let isAny = false;
  for (const line of family.lines) {
    const own = line.accounts[index] ?? [];
    if (own.some(({ position }) => positions.has(position)) || !isLacking(line)) continue;
    const unseen = own.filter((account) => account.factor === null && remainingOf(account) > 0);
    for (const account of unseen) ledger.book({ ...account, cancelled: account.requested - account.picked });
    const held = carrier.served.flatMap((content) => content.filter((served) => isSame(line, served))).at(-1);
    const isNew = own.length === 0 && held !== undefined;
    if (isNew) ledger.addAbsent(orderNumber, held);
    isAny = isAny || unseen.length > 0 || isNew;
  }
  return isAny;
}

const isSame = (line: FamilyLine, served: { externalId: string | null; itemNumber: string | null; lot: string | null }) =>
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
