import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import { type Database, openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { migrate } from "../../../src/store/schema.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A real database file with the tables of the embedded system: one connection that writes, one that reads. */
export function embeddedStore(): { file: string; writer: Database; reader: Database } {
  const file = join(temporaryFolder(), "crossdock.db");
  const writer = openDatabase(file);
  writer.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  migrate(writer);
  const reader = openDatabase(file, { readOnly: true });
  onTestFinished(() => {
    reader.close();
    writer.close();
  });
  return { file, writer, reader };
}

/** A small order in the contract's form. Give the members that the test is about. */
export function workOrder(members: Partial<WorkOrder> & { number: string }): WorkOrder {
  return {
    dueDate: "2026-03-01T08:00:00Z",
    requests: [{ itemNumber: "A-1", requestedAmount: 2, unitOfMeasure: 0, requestType: 1, order: 1 }],
    ...members,
  };
}
