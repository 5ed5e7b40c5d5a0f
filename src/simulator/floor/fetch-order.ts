import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { expectContent, isFindable, isWanted } from "../changes/expect-content.ts";
import { carrierOf, type Family, isChanged, noteServed, tell } from "../changes/family.ts";
import { type RunningOrder, takeOver } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";
import { scanOrder } from "./look-up.ts";
import { speakUp } from "./speak-up.ts";

/** The platform takes an order to work on; false where it is told that nothing of it is wanted any more. */
export async function fetchOrder(desk: Desk, running: RunningOrder): Promise<boolean> {
  const family = familyOf(desk, running.order.number);
  if (family === null) {
    await scanOrder(desk, running, { isExpected: true, isByNumber: false });
    return true;
  }
  await speakUp(desk, running, "before the scan");
  if (!family.plan.isFetchedEarly) {
    const content = await scan(desk, family, running);
    if (content === null) return false;
    if (isChanged(family)) takeOver(running, content, true);
  } else tell(family, `${running.order.number} is worked on as it was fetched before`);
  carrierOf(family, running.order.number).floor = running;
  await speakUp(desk, running, "fetched");
  return true;
}

/** In the middle of the work the order is fetched again, and worked on as it is then. */
export async function fetchAgain(desk: Desk, running: RunningOrder): Promise<boolean> {
  const { number } = running.order;
  const family = familyOf(desk, number);
  if (family === null || family.number !== number) return false;
  const { fetchesAgainAt, isCarriedOver } = family.plan;
  if (fetchesAgainAt === null || running.steps !== fetchesAgainAt || running.isFetchedAgain) return false;
  running.isFetchedAgain = true;
  const content = await scan(desk, family, running);
  if (content === null) return false;
  // With nothing wanted any more it is shown as it was, and the text says that it is over: nobody begins it anew.
  if (!isWanted(family, number)) return false;
  tell(
    family,
    `${number} has new request ids, ${isCarriedOver ? "what was picked is counted in them" : "counted from nothing"}`,
  );
  desk.tally.countChange("fetch-again");
  takeOver(running, content, isCarriedOver);
  return true;
}

/** By its number: a follow-up has the other codes of the order it follows. */
export async function scan(
  desk: Desk,
  family: Family,
  running: Pick<RunningOrder, "order" | "source">,
  isExpected = isFindable(family, running.order.number),
): Promise<WorkOrder | null> {
  const isByNumber = isChanged(family) || running.order.number !== family.number;
  const content = await scanOrder(desk, running, { isExpected, isByNumber });
  if (content === null) return null;
  // Held against what is wanted before it counts as served: the adapter answered without knowing that.
  expectContent(family, content, desk.tally);
  noteServed(family, content);
  return content;
}
