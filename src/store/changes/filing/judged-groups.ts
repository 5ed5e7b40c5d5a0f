import { recentValues } from "../../../kit/recent-values.ts";
import { isWholeOrder } from "../../ledger/line-ref.ts";
import { isOrderEnded, isPutWall, isWaiting, type MemberOrder } from "../group/member-order.ts";
import type { GroupLine, OrderGroup } from "../order-group.ts";
import { linesOfChange, type OpenChange, withdrawn } from "./judge-change.ts";

/** Groups whose open changes were judged, so that an event judges only the changes it concerns. */
export interface JudgedGroups {
  /**
   * Which open changes must be judged: those with a line that was decided again since the group was last judged. All of
   * them, if anything else has changed that a judgement depends on.
   */
  readonly concernedBy: (group: OrderGroup) => (change: OpenChange) => boolean;
  /** Called when every concerned change of the group was judged, and those that are still open are not final. */
  readonly keep: (group: OrderGroup) => void;
  /** Called after a rollback. */
  readonly forget: () => void;
}

/** Lines of groups that are kept. They are mostly the objects that are kept for reading as well. */
const rememberedLines = 12_000;

export function rememberJudged(): JudgedGroups {
  const recent = recentValues<OrderGroup>(rememberedLines, ({ lines }) => 1 + lines.length);
  return {
    concernedBy: (group) => {
      const before = recent.get(group.root);
      if (before === group) return isWholeOrder;
      if (before === undefined || !isJudgedAlike(before, group)) return () => true;
      const decided = new Set(group.lines.filter((line, place) => line !== before.lines[place]));
      const isDecided = (line: GroupLine) => decided.has(line);
      // A change of the whole order is about all lines, and there is hardly ever more than one.
      return (change) => isWholeOrder(change) || linesOfChange(group, change).some(isDecided);
    },
    keep: (group) => recent.set(group.root, group),
    forget: recent.clear,
  };
}

/** Whether all is equal that a judgement depends on beside the lines of the change. */
function isJudgedAlike(before: OrderGroup, group: OrderGroup): boolean {
  if (before.wanted !== group.wanted || before.members.length !== group.members.length) return false;
  const [withdrawnBefore, withdrawnNow] = [withdrawn(before), withdrawn(group)];
  return group.members.every((member, index) => {
    const was = before.members[index];
    return was !== undefined && isMemberAlike(was, member) && withdrawnBefore[index] === withdrawnNow[index];
  });
}

const isMemberAlike = (was: MemberOrder, is: MemberOrder): boolean =>
  was.number === is.number &&
  was.served === is.served &&
  (was.order === undefined) === (is.order === undefined) &&
  (was.ledgerLines.length === 0) === (is.ledgerLines.length === 0) &&
  isWaiting(was) === isWaiting(is) &&
  isOrderEnded(was) === isOrderEnded(is) &&
  isPutWall(was) === isPutWall(is);
