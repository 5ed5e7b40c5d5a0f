import { recentValues } from "../../../kit/recent-values.ts";
import { type OrderGroup, readOrderGroup, refreshOrderGroup } from "../order-group.ts";
import type { Wanted } from "../wanted.ts";
import type { MemberOrder } from "./member-order.ts";

/** Lines of groups that are kept, with all that was decided for them: about thirty megabytes at most. */
const rememberedLines = 12_000;

export type GroupOf = (
  root: string,
  wanted: Wanted,
  numbers: readonly string[],
  memberOf: (number: string, before?: MemberOrder) => MemberOrder,
) => OrderGroup;

/** Reads every group anew, for connections that do not write: others may have changed anything since. */
export const readAnew: GroupOf = (root, wanted, numbers, memberOf) =>
  readOrderGroup(
    root,
    wanted,
    numbers.map((number) => memberOf(number)),
  );

/**
 * Keeps recent groups in memory: each event reads its group several times, and most events change one line of it. Only
 * the lines that changed are decided again. Only for the connection that writes.
 */
export function rememberGroups(): { readonly groupOf: GroupOf; readonly forget: () => void } {
  const recent = recentValues<OrderGroup>(rememberedLines, ({ lines }) => 1 + lines.length);
  return {
    groupOf: (root, wanted, numbers, memberOf) => {
      const before = recent.get(root);
      const members = numbers.map((number) =>
        memberOf(
          number,
          before?.members.find((member) => member.number === number),
        ),
      );
      const isSame =
        before?.wanted === wanted &&
        members.length === before.members.length &&
        members.every((member, index) => member === before.members[index]);
      if (isSame) return before;
      const refreshed = before === undefined ? undefined : refreshOrderGroup(before, wanted, members);
      const group = refreshed ?? readOrderGroup(root, wanted, members);
      recent.set(root, group);
      return group;
    },
    forget: recent.clear,
  };
}
