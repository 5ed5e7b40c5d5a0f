import type { ErpState } from "../../src/tools/mock-erp/state/erp-state.ts";
import type { PlatformRecords } from "../../src/tools/simulator/records/platform-records.ts";

/** Orders for which the ERP has recorded another amount than the floor has picked. */
export function compareWithErp(floor: PlatformRecords, erp: ErpState): string[] {
  return [...floor.orders.values()].flatMap(({ number, placed }) => {
    const picked = [...placed.values()].reduce((sum, amount) => sum + amount, 0);
    const booked = erp.orders.get(number)?.lines.reduce((sum, line) => sum + line.picked, 0) ?? 0;
    return picked === booked ? [] : [`order ${number}: ${picked} picked, ${booked} booked`];
  });
}
