import { UnitOfMeasure } from "../../contract/enums.ts";
import { oncePer } from "../../kit/recent-values.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import { type LineNames, lineKey, namesOf, type ServedLine, sameLine } from "../ledger/line-ref.ts";
import { baseFactor, commonFactor, factsOf, pickedOf } from "./group/line-facts.ts";
import type { MemberOrder } from "./group/member-order.ts";
import { isFramedAlike, isNamedAlike, isWantedAlike, otherWanted } from "./group/only-amounts.ts";
import { type LineDecision, type LineFacts, reconcile } from "./reconcile.ts";
import { addedLines, linesLatestFirst, type ServedContent } from "./served/served-content.ts";
import { isUnchanged, resolveWanted, type Wanted, type WantedLine } from "./wanted.ts";

/** One line of the group: its facts, and the decision that follows from them. */
export interface GroupLine extends LineNames {
  readonly key: string;
  /** The amount in the external system's latest change, in the line's own unit; null when it has said nothing. */
  readonly wanted: number | null;
  /** Sequence number of the journal entry with that change. */
  readonly changeSeq: number | null;
  /** The unit of the line, by its number in the contract. */
  readonly unit: number;
  /** Base units per unit of the line; null when it is not certain. */
  readonly factor: number | null;
  /** The ledger lines of each member. */
  readonly ledgerLines: readonly (readonly LedgerLine[])[];
  readonly facts: LineFacts;
  /** Null when the unit is in doubt and something is still wanted: no amount can be decided then. */
  readonly decision: LineDecision | null;
}

/** An order and its follow-up orders. */
export interface OrderGroup {
  readonly root: string;
  readonly wanted: Wanted;
  readonly members: readonly MemberOrder[];
  readonly lines: readonly GroupLine[];
}

/** The index of an order in its group; -1 when it is not part of it. */
export const memberIndex = ({ members }: Pick<OrderGroup, "members">, orderNumber: string): number =>
  members.findIndex(({ number }) => number === orderNumber);

const linesByKey = oncePer((group: OrderGroup) => new Map(group.lines.map((line) => [line.key, line])));

/** The line of a group with this key. */
export function lineOf(group: OrderGroup, key: string): GroupLine | undefined {
  const places = frames.get(group)?.places;
  if (places === undefined) return linesByKey(group).get(key);
  const place = places.get(key);
  return place === undefined ? undefined : group.lines[place];
}

/** Collects the facts of an order and its follow-up orders line by line, and decides every amount. */
export function readOrderGroup(root: string, wanted: Wanted, members: readonly MemberOrder[]): OrderGroup {
  const keyOf = keyFinder(
    wanted,
    members.flatMap(({ ledgerLines }) => ledgerLines),
  );
  const ledgerLinesByKey = new Map<string, LedgerLine[][]>();
  const names = new Map<string, LineNames>(wanted.lines.map((line) => [lineKey(line), line]));
  let isEachNamed = names.size === wanted.lines.length;
  const isNamed = (key: string, line: LineNames) => names.has(key) && key === lineKey(line);
  members.forEach(({ ledgerLines }, index) => {
    for (const ledgerLine of ledgerLines) {
      const key = keyOf(ledgerLine);
      isEachNamed &&= isNamed(key, ledgerLine);
      const own = ledgerLinesByKey.get(key) ?? members.map(() => []);
      own[index]?.push(ledgerLine);
      ledgerLinesByKey.set(key, own);
      if (!names.has(key)) names.set(key, ledgerLine);
    }
  });

  const ledgerLinesOf = (key: string) => ledgerLinesByKey.get(key) ?? members.map(() => []);
  const isShared = wanted.lines.some(({ shared }) => shared !== undefined);
  // Needed only to split an amount over lines. While the unit is in doubt, nobody knows how many of the line's own units
  // are picked: count 0.
  const picked = new Map(
    (isShared ? [...names.keys()] : []).map((key) => {
      const own = ledgerLinesOf(key).flat();
      return [key, commonFactor(own) === null ? 0 : pickedOf(own)];
    }),
  );
  const wantedByKey = new Map(resolveWanted(wanted, picked).map((line) => [lineKey(line), line]));

  // Built once for all lines: searching for each line would take half a minute on an order of ten thousand lines.
  const units = new Map<string, number>();
  let isUnitFixed = true;
  // The latest member has the last word on the unit of a line.
  const servedKeys = members.toReversed().map(({ served }) => {
    const keys = new Set<string>();
    for (const line of linesLatestFirst(served)) {
      const key = keyOf(line);
      isEachNamed &&= isNamed(key, line);
      keys.add(key);
      if (!units.has(key)) units.set(key, line.unit);
      isUnitFixed &&= units.get(key) === line.unit;
    }
    return keys;
  });
  servedKeys.reverse();
  const isChanged = !isUnchanged(wanted);
  const lineOfKey: Frame["lineOfKey"] = (key, line, { wantedLine, ledgerLines, members: present }) => {
    const all = ledgerLines.flat();
    const factor = commonFactor(all);
    const amount = wantedLine?.amount ?? (wanted.cancelledSeq === null ? null : 0);
    const shortPickedBefore = wantedLine?.shortPicked ?? 0;
    const facts = factsOf({
      key,
      ledgerLines,
      members: present,
      factor: baseFactor({ factor }),
      amount,
      shortPickedBefore,
      servedKeys,
      isChanged,
    });
    // 0 is 0 in any unit.
    const isCertain = factor !== null || amount === 0 || amount === null;
    return {
      // The external system's change may name only the external id; the ledger lines know the item.
      ...{ key, externalId: line.externalId, itemNumber: line.itemNumber ?? all[0]?.itemNumber ?? null },
      ...{ lot: line.lot, ledgerLines, factor, facts },
      unit: all[0]?.unit ?? units.get(key) ?? UnitOfMeasure.Piece,
      wanted: amount,
      changeSeq: wantedLine?.seq ?? wanted.cancelledSeq,
      decision: isCertain ? reconcile(facts) : null,
    };
  };
  const isServedAlike: Frame["isServedAlike"] = (index, added) => {
    // Lines that cannot be told apart may have different units: then a content that only leaves one out changes the unit.
    if (!isUnitFixed) return false;
    const isKnown = (line: ServedLine) => {
      const key = keyOf(line);
      if (isEachNamed && !isNamed(key, line)) return false;
      return servedKeys[index]?.has(key) === true && units.get(key) === line.unit;
    };
    return added.every(isKnown);
  };
  const lines = [...names].map(([key, line]) =>
    lineOfKey(key, line, { wantedLine: wantedByKey.get(key), ledgerLines: ledgerLinesOf(key), members }),
  );
  const group = { root, wanted, members, lines };
  // An amount that several lines share is split by what is picked of each: then one line changes others.
  if (!isShared) {
    const places = new Map(lines.map(({ key }, place) => [key, place]));
    frames.set(group, { keyOf, names, places, wantedByKey, isEachNamed, lineOfKey, isServedAlike });
  }
  return group;
}

/** What stays the same in a group as long as only amounts change. */
interface Frame {
  readonly keyOf: (names: LineNames) => string;
  readonly names: ReadonlyMap<string, LineNames>;
  /** The index of each line, by its key. */
  readonly places: ReadonlyMap<string, number>;
  /**
   * Whether the external system has named every line, each once and by the names that the platform and the contents have
   * of it. Then no line of a later push can be found to be another one.
   */
  readonly isEachNamed: boolean;
  /** Used if not every line is named; then the group is read anew when something else is wanted. */
  readonly wantedByKey: ReadonlyMap<string, WantedLine>;
  readonly lineOfKey: (
    key: string,
    line: LineNames,
    known: {
      readonly wantedLine: WantedLine | undefined;
      readonly ledgerLines: readonly (readonly LedgerLine[])[];
      readonly members: readonly MemberOrder[];
    },
  ) => GroupLine;
  /** Whether the contents of a member had these lines before, in whatever amounts. */
  readonly isServedAlike: (index: number, added: ServedContent) => boolean;
}

const frames = new WeakMap<OrderGroup, Frame>();

/**
 * The group after wanted amounts, or amounts of some ledger lines, have changed: only their lines are decided again.
 * Undefined if anything changed that other lines depend on.
 */
export function refreshOrderGroup(
  before: OrderGroup,
  wanted: Wanted,
  members: readonly MemberOrder[],
): OrderGroup | undefined {
  const frame = frames.get(before);
  if (frame === undefined || members.length !== before.members.length) return undefined;
  const isWantedSame = before.wanted === wanted;
  if (!isWantedSame && !(frame.isEachNamed && isWantedAlike(before.wanted, wanted))) return undefined;
  const changed = new Map<LedgerLine, LedgerLine>();
  for (const [index, member] of members.entries()) {
    const was = before.members[index];
    if (was === undefined || !isFramedAlike(was, member)) return undefined;
    if (was.served !== member.served) {
      const added = addedLines(was.served, member.served);
      if (added === undefined || !frame.isServedAlike(index, added)) return undefined;
    }
    for (const [place, ledgerLine] of member.ledgerLines.entries()) {
      const old = was.ledgerLines[place];
      if (old === ledgerLine) continue;
      if (old === undefined || !isNamedAlike(old, ledgerLine)) return undefined;
      changed.set(old, ledgerLine);
    }
  }
  const lines = [...before.lines];
  const keys = new Set([...changed.keys()].map(frame.keyOf));
  if (!isWantedSame) for (const key of otherWanted(before.wanted, wanted)) keys.add(key);
  for (const key of keys) {
    const place = frame.places.get(key);
    const [line, names] = [place === undefined ? undefined : lines[place], frame.names.get(key)];
    if (place === undefined || line === undefined || names === undefined) return undefined;
    const ledgerLines = line.ledgerLines.map((own) => own.map((one) => changed.get(one) ?? one));
    const wantedLine = frame.isEachNamed ? wanted.lines[place] : frame.wantedByKey.get(key);
    lines[place] = frame.lineOfKey(key, names, { wantedLine, ledgerLines, members });
  }
  const group = { ...before, wanted, members, lines };
  frames.set(group, frame);
  return group;
}

/**
 * Returns the key of the wanted line that a ledger line belongs to. A ledger line the external system never named is
 * its own line.
 */
function keyFinder(wanted: Wanted, ledgerLines: readonly LineNames[]): (names: LineNames) => string {
  const keys = new Set(wanted.lines.map(lineKey));
  const contents = new Set([...(wanted.pushed?.requests ?? []), ...wanted.gone].map((line) => lineKey(namesOf(line))));
  const taken = new Set(ledgerLines.filter(({ externalId }) => externalId !== null).map(lineKey));
  // A ledger line with its own external id is not a line that was pushed without an id. A change for the whole item
  // still applies.
  const mayBe = (line: LineNames, names: LineNames) =>
    sameLine(line, names) &&
    // And a ledger line without an external id is not a line that the platform shows with an id.
    (names.externalId === null ? !taken.has(lineKey(line)) : !contents.has(lineKey(line)));
  let byItem: ReadonlyMap<string | null, readonly LineNames[]> | undefined;
  return (names) => {
    const own = lineKey(names);
    if (keys.has(own)) return own;
    // A line with the same external id has the same key: only lines of the same item are left.
    byItem ??= Map.groupBy(wanted.lines, ({ itemNumber }) => itemNumber);
    const like = byItem.get(names.itemNumber)?.find((line) => mayBe(line, names));
    return like === undefined ? own : lineKey(like);
  };
}
