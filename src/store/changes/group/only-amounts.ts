import type { LedgerLine } from "../../ledger/ledger-line.ts";
import { type LineNames, lineKey } from "../../ledger/line-ref.ts";
import { isUnchanged, type Wanted } from "../wanted.ts";
import { isOrderEnded, isPutWall, isWaiting, type MemberOrder } from "./member-order.ts";

/** Whether only amounts of lines are wanted otherwise. */
export const isWantedAlike = (was: Wanted, is: Wanted): boolean =>
  was.cancelledSeq === is.cancelledSeq &&
  was.lines.length === is.lines.length &&
  isUnchanged(was) === isUnchanged(is) &&
  is.lines.every((line, place) => {
    const old = was.lines[place];
    return line === old || (old !== undefined && line.shared === undefined && hasSameNames(old, line));
  });

/** The keys of lines that are wanted otherwise. */
export const otherWanted = (was: Wanted, is: Wanted): string[] =>
  is.lines.flatMap((line, place) => {
    const old = was.lines[place];
    const isSame = line.amount === old?.amount && line.seq === old.seq && line.shortPicked === old.shortPicked;
    return isSame ? [] : [lineKey(line)];
  });

/** Whether nothing of a member has changed but amounts of its ledger lines, and not what all lines depend on. */
export const isFramedAlike = (was: MemberOrder, is: MemberOrder): boolean =>
  was.number === is.number &&
  was.ledgerLines.length === is.ledgerLines.length &&
  isWaiting(was) === isWaiting(is) &&
  isOrderEnded(was) === isOrderEnded(is) &&
  isPutWall(was) === isPutWall(is);

/** Whether it is the same ledger line, in whatever amount. */
export const isNamedAlike = (was: LedgerLine, is: LedgerLine): boolean =>
  was.position === is.position && hasSameNames(was, is);

const hasSameNames = (was: LineNames, is: LineNames): boolean =>
  was.externalId === is.externalId && was.itemNumber === is.itemNumber && was.lot === is.lot;
