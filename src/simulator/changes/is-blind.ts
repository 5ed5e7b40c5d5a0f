import { openAmount, type RunningLine } from "../orders/running-order.ts";
import type { Carrier, Family } from "./family.ts";
import { openIn } from "./share-out.ts";

/**
 * Whether the adapter takes the platform to have more of a group than it has, and no step will tell it otherwise: the
 * put wall shows nothing, what came with an order's last step is never shown, and of a line that was fetched again only
 * a step says whether what was picked before is counted in it. What is added then is lost for any adapter, so nobody adds.
 */
export const isBlind = (family: Family, group: string): boolean =>
  family.carriers.some((carrier) => isBlindIn(family, carrier, group));

function isBlindIn(family: Family, carrier: Carrier, group: string): boolean {
  const { floor, state, isAtWall } = carrier;
  if (floor === null || state === "ended") return false;
  const own = floor.lines.filter((line) => groupOf(family, line) === group);
  const open = own.reduce((sum, line) => sum + openAmount(line), 0);
  if (isAtWall) return state === "waiting" || openIn(carrier, group) > open;
  if (own.some((line) => line.isRenewed && !line.isStepped)) return true;
  // An update that waits to be applied may end the order before its next step.
  if (floor.late !== null && own.length > 0) return true;
  const isOver = floor.lines.every((line) => openAmount(line) === 0);
  return isOver && state === "running" && openIn(carrier, group) > open;
}

const groupOf = (family: Family, { externalId, itemNumber }: RunningLine): string | undefined =>
  family.lines.get(externalId ?? itemNumber)?.group;
