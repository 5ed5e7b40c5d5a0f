import { isWholeOrder } from "../changes/change.ts";
import type { Changes } from "../changes/open-changes.ts";

/** Whether the external system has cancelled an order as a whole while somebody works on it. */
export const isCalledOff = (changes: Pick<Changes, "pendingFor">, orderNumber: string): boolean =>
  changes.pendingFor(orderNumber).some(isWholeOrder);
