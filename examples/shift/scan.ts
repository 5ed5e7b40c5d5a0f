import type { WorkOrder } from "../../src/contract/schemas/work-order.ts";
import { type Floor, granted } from "./floor.ts";

/** The order behind a code that was scanned in the main storage. */
export async function scan({ client }: Pick<Floor, "client">, Code: string): Promise<WorkOrder> {
  return granted(await client.findWorkOrderByCode({ Code, StorageName: "Main" }));
}
