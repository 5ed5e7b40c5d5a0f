import type { PushedIndexableValue } from "../../../contract/pushes.ts";
import type { Database } from "../../../kit/sqlite.ts";

/** Keeps what the external system indexes an order by, whether the order is known yet or not. */
export function pushIndexableValue(database: Database): (pushed: PushedIndexableValue) => void {
  const upsert = database.statement(
    "INSERT INTO indexable_value (number, value) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET value = excluded.value",
  );
  const remove = database.statement("DELETE FROM indexable_value WHERE number = ?");
  return ({ workOrderNumber, value }) => {
    if (value === null || value === "") remove.run(workOrderNumber);
    else upsert.run(workOrderNumber, value);
  };
}
