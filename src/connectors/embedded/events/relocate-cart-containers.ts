import type { Database } from "../../../kit/sqlite.ts";
import { say } from "../../../messages/message.ts";
import { ok, refuse } from "../../../sdk/outcome.ts";
import type { ContainerTable } from "./container-table.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

interface RelocateNeeds extends EventNeeds {
  readonly database: Database;
  readonly containers: ContainerTable;
}

interface Move {
  readonly order_number: string;
  readonly location: string;
  readonly requests: string;
}

export function relocateCartContainers(needs: RelocateNeeds): EventHandler<"relocateCartContainers"> {
  const { database, orders, changes, containers } = needs;
  const latest = database.statement(
    "SELECT order_number, location, requests FROM relocation WHERE container_code = ? ORDER BY id DESC LIMIT 1",
  );
  const insert = database.statement(
    `INSERT INTO relocation (container_code, order_number, location, requests, entry_id, moved_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return (relocations, entry) => {
    const problems = relocations.flatMap(({ containerCode }, index) =>
      containerCode.trim() === "" ? [say("input.filled-text", { field: `[${index}].containerCode` })] : [],
    );
    if (problems.length > 0) return refuse("InvalidInput", say("events.container-blank"), { problems });
    for (const { containerCode, destinationLocationName: location, workOrder } of relocations) {
      orders.sign(workOrder.number);
      if (changes.read(workOrder.number) !== undefined) changes.settle(workOrder.number, entry);
      const code = containers.spellingOf(containerCode);
      const requests = JSON.stringify(workOrder.requests ?? []);
      const last = latest.get<Move>(code);
      const isSame =
        last?.order_number === workOrder.number && last.location === location && last.requests === requests;
      // The container stands there already: the same again is no second move.
      if (isSame) continue;
      insert.run(code, workOrder.number, location, requests, entry.id, entry.receivedAt);
      containers.move(code, location, entry.receivedAt);
    }
    return ok(null);
  };
}
