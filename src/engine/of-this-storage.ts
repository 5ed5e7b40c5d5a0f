import type { InputOf } from "../contract/operations.ts";
import type { WorkOrder } from "../contract/schemas/work-order.ts";
import { say } from "../messages/message.ts";
import { type AnyOutcome, refuse } from "../sdk/outcome.ts";
import { ReadyJson } from "../sdk/ready-json.ts";

const fold = (name: string) => name.trim().normalize("NFC").toLowerCase();

/**
 * A scanned order that belongs to another storage is refused with the name of that storage, whoever found it: an external
 * system finds by the code, and does not know where the scan happened or does not look. Ready texts are from our own
 * store, which looks by itself.
 */
export function ofThisStorage(outcome: AnyOutcome, input: unknown): AnyOutcome {
  if (!outcome.ok || outcome.data === null || outcome.data instanceof ReadyJson) return outcome;
  // What a scan brings was checked against its row, and the order against its schema.
  const { StorageName } = input as InputOf<"findWorkOrderByCode">;
  const { number, designatedStorageName } = outcome.data as unknown as WorkOrder;
  if (!designatedStorageName || !StorageName?.trim()) return outcome;
  if (fold(designatedStorageName) === fold(StorageName)) return outcome;
  return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage: designatedStorageName }));
}
