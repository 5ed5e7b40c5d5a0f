import { UnitOfMeasure } from "../../contract/enums.ts";
import { type LedgerLine, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { type LineNames, lineKey, namesOf, sameLine } from "../ledger/line-sight.ts";
import type { StoredOrder } from "../order-store.ts";
import { type LineDecision, type LineFacts, type RowFacts, reconcile } from "./reconcile.ts";
import { isUnchanged, resolveWanted, type Wanted } from "./wanted.ts";
import type { ServedContent } from "./wanted-table.ts";

/** An order that carries lines of the family: the order itself, or one of its follow-up orders. */
export interface Carrier {
  readonly number: string;
  /** Undefined for an order that never came here: it reached the platform by another way. */
  readonly order: StoredOrder | undefined;
  /** Its accounts; none before the first sign of work. */
  readonly accounts: readonly LedgerLine[];
  /** Every content that the platform may have fetched, the present one included. */
  readonly served: readonly ServedContent[];
}

/** One line of the family: the facts, and what follows from them. */
export interface FamilyLine extends LineNames {
  readonly key: string;
  /** By the external system's latest word, in the line's own unit; null where it has said nothing. */
  readonly wanted: number | null;
  /** The entry of that word. */
  readonly wordSeq: number | null;
  /** The unit of the line, by its number in the contract. */
  readonly unit: number;
  /** Base units per unit of the line; null where that is in doubt. */
  readonly factor: number | null;
  /** The accounts of each carrier. */
  readonly accounts: readonly (readonly LedgerLine[])[];
  readonly facts: LineFacts;
  /** Null where the unit is in doubt and something is still wanted: then no amount can be said. */
  readonly decision: LineDecision | null;
}

export interface Family {
  readonly root: string;
  readonly wanted: Wanted;
  readonly carriers: readonly Carrier[];
  readonly lines: readonly FamilyLine[];
}

/** The place of an order among those of its family; -1 where it is none of them. */
export const carrierIndex = ({ carriers }: Pick<Family, "carriers">, orderNumber: string): number =>
  carriers.findIndex(({ number }) => number === orderNumber);

/** Base units per unit of a line; while that is in doubt, amounts stay as the platform counts them. */
export const baseFactor = ({ factor }: Pick<FamilyLine, "factor">): number => factor ?? 1;

export const isWaiting = ({ order }: Carrier): boolean => order !== undefined && !order.worked;

/** Whether nothing of it is left to do for the platform. Of an order that never came here only the accounts can tell. */
export function isOver({ order, accounts }: Carrier): boolean {
  if (accounts.some((account) => remainingOf(account) > 0)) return false;
  if (order === undefined) return accounts.length > 0;
  return order.worked && (order.state === "finished" || order.state === "cancelled");
}

/** Sorted at a put wall and never shown by a step. */
export const isPutWall = ({ accounts }: Carrier): boolean =>
  accounts.some((account) => takenOf(account) > 0) && accounts.every((account) => account.steps === 0);

/** Puts the facts of an order and its follow-ups together, line by line, and decides every amount. */
export function readFamily(root: string, wanted: Wanted, carriers: readonly Carrier[]): Family {
  const keyOf = keyFinder(
    wanted,
    carriers.flatMap(({ accounts }) => accounts),
  );
  const accountsByKey = new Map<string, LedgerLine[][]>();
  const names = new Map<string, LineNames>(wanted.lines.map((line) => [lineKey(line), line]));
  carriers.forEach(({ accounts }, index) => {
    for (const account of accounts) {
      const key = keyOf(account);
      const own = accountsByKey.get(key) ?? carriers.map(() => []);
      own[index]?.push(account);
      accountsByKey.set(key, own);
      if (!names.has(key)) names.set(key, account);
    }
  });

  const accountsOf = (key: string) => accountsByKey.get(key) ?? carriers.map(() => []);
  // Of a line in doubt nobody can say how much of its own unit is picked.
  const picked = new Map(
    [...names.keys()].map((key) => {
      const own = accountsOf(key).flat();
      return [key, commonFactor(own) === null ? 0 : pickedOf(own)];
    }),
  );
  const words = new Map(resolveWanted(wanted, picked).map((line) => [lineKey(line), line]));

  // Once for all lines: gone through for each of them, an order of ten thousand would take half a minute.
  const servedKeys = carriers.map(({ served }) => new Set(served.flat().map(keyOf)));
  const units = new Map(carriers.flatMap(({ served }) => served.flat().map((line) => [keyOf(line), line.unit])));
  const isChanged = !isUnchanged(wanted);
  const lines = [...names].map(([key, line]): FamilyLine => {
    const accounts = accountsOf(key);
    const factor = commonFactor(accounts.flat());
    const word = words.get(key);
    const amount = word?.amount ?? (wanted.cancelledSeq === null ? null : 0);
    const cutBefore = word?.cut ?? 0;
    const facts = factsOf({
      key,
      accounts,
      carriers,
      factor: baseFactor({ factor }),
      amount,
      cutBefore,
      servedKeys,
      isChanged,
    });
    // Nothing is nothing in any unit.
    const isCertain = factor !== null || amount === 0 || amount === null;
    return {
      // A word may name the external id only; the floor knows the item.
      ...{ key, externalId: line.externalId, itemNumber: line.itemNumber ?? accounts.flat()[0]?.itemNumber ?? null },
      ...{ lot: line.lot, accounts, factor, facts },
      unit: accounts.flat()[0]?.unit ?? units.get(key) ?? UnitOfMeasure.Piece,
      wanted: amount,
      wordSeq: word?.seq ?? wanted.cancelledSeq,
      decision: isCertain ? reconcile(facts) : null,
    };
  });
  return { root, wanted, carriers, lines };
}

/** Which line of the external system's an account belongs to; one that nothing was said about is a line of its own. */
function keyFinder(wanted: Wanted, accounts: readonly LineNames[]): (names: LineNames) => string {
  const keys = new Set(wanted.lines.map(lineKey));
  const contents = new Set([...(wanted.pushed?.requests ?? []), ...wanted.gone].map((line) => lineKey(namesOf(line))));
  const taken = new Set(accounts.filter(({ externalId }) => externalId !== null).map(lineKey));
  // One with an external id of its own is no line that was pushed without one; a word on the item is about it all the same.
  const mayBe = (line: LineNames, names: LineNames) =>
    sameLine(line, names) &&
    // And one without is no line that the platform shows with its id.
    (names.externalId === null ? !taken.has(lineKey(line)) : !contents.has(lineKey(line)));
  return (names) => {
    const own = lineKey(names);
    if (keys.has(own)) return own;
    const like = wanted.lines.find((line) => mayBe(line, names));
    return like === undefined ? own : lineKey(like);
  };
}

interface LineNeeds {
  readonly key: string;
  readonly accounts: readonly (readonly LedgerLine[])[];
  readonly carriers: readonly Carrier[];
  readonly factor: number;
  readonly amount: number | null;
  /** Cut short before the order was given back, in the line's own unit. */
  readonly cutBefore: number;
  /** Of each carrier: the lines of all contents it was served with. */
  readonly servedKeys: readonly ReadonlySet<string>[];
  readonly isChanged: boolean;
}

function factsOf({ key, accounts, carriers, factor, amount, cutBefore, servedKeys, isChanged }: LineNeeds): LineFacts {
  const cut = accounts
    .flat()
    .reduce((sum, account) => sum + account.cut * scaleOf(account, factor), cutBefore * factor);
  return {
    wanted: amount === null ? null : roundAmount(amount * factor),
    cut: roundAmount(cut),
    factor,
    isChanged,
    carriers: carriers.map((carrier, index) => ({
      isWaiting: isWaiting(carrier),
      mayHold:
        !isPutWall(carrier) &&
        !isOver(carrier) &&
        // The order itself, begun and nothing of it shown: it may be any content, one that is fetched again now too.
        ((index === 0 && carrier.accounts.length === 0) || servedKeys[index]?.has(key) === true),
      rows: (accounts[index] ?? []).map((account) => rowOf(account, carrier, factor)),
    })),
  };
}

function rowOf(account: LedgerLine, carrier: Carrier, factor: number): RowFacts {
  const scale = scaleOf(account, factor);
  const shown = shownOf(account, carrier);
  return {
    picked: roundAmount(takenOf(account) * scale),
    shown: shown === null ? null : roundAmount(shown * scale),
    isWhole: account.factor !== null,
  };
}

/** What the platform shows of a line, in the unit of its account; null while it has shown nothing. */
function shownOf(account: LedgerLine, carrier: Carrier): number | null {
  // A put wall shows no amounts: it may have the most that was served before it began.
  if (account.factor === null && account.cancelled === 0 && isPutWall(carrier) && !isOver(carrier)) {
    return Math.max(account.intake ?? 0, account.requested);
  }
  const isShown = account.factor !== null || remainingOf(account) <= 0;
  return isShown ? roundAmount(account.requested - account.cancelled) : null;
}

/** An account whose line was never shown is still in the line's own unit. */
export const scaleOf = (account: LedgerLine, factor: number): number => (account.factor === null ? factor : 1);

/** The one factor that all accounts which were shown agree on; 1 where none was. */
function commonFactor(accounts: readonly LedgerLine[]): number | null {
  const factors = new Set(accounts.flatMap(({ factor }) => (factor === null ? [] : [factor])));
  const [factor] = factors;
  if (factor === undefined) return 1;
  return factors.size === 1 && factor >= 1 ? factor : null;
}

/** Picked of a line, in its own unit as far as that is certain. */
export function pickedOf(accounts: readonly LedgerLine[]): number {
  const factor = commonFactor(accounts) ?? 1;
  return accounts.reduce((sum, account) => sum + (takenOf(account) * scaleOf(account, factor)) / factor, 0);
}

/** What is picked of an item beyond what all its lines want, in the lines' own unit. */
export function tooMuchOf(family: Family, itemNumber: string): number {
  const own = family.lines.filter((line) => line.itemNumber === itemNumber);
  // A line that nothing was said about may take any amount, and one whose unit is in doubt nobody knows how much.
  if (own.some(({ wanted, factor }) => wanted === null || factor === null)) return 0;
  const beyond = own.reduce((sum, line) => sum + (line.decision?.beyond ?? 0) / baseFactor(line), 0);
  return roundAmount(Math.max(0, beyond));
}

/**
 * Whether the external system wants nothing of the order any more. A word on a line that nobody has says nothing; a line that
 * it has said nothing about goes on, and the order with it.
 */
export function isCalledOff(family: Family): boolean {
  const served = new Set(family.carriers.flatMap((carrier) => carrier.served.flat().map(lineKey)));
  const lines = family.lines.filter((line) => served.has(line.key) || line.accounts.flat().length > 0);
  return lines.length > 0 && lines.every(({ wanted }) => wanted === 0);
}
