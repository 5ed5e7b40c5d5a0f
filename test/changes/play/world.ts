import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "../../../src/contract/schemas/queries.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import type { Applied, Emission } from "../../../src/journal/inline-projection.ts";
import { openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import type { OperatorText } from "../../../src/messages/message.ts";
import { type AnyOutcome, ReadyJson, ReadyJsonList } from "../../../src/operation/outcome.ts";
import { embedded } from "../../../src/store/connector.ts";
import { withDefaults } from "../../../src/store/option-defaults.ts";
import { openProjection } from "../../../src/store/store-projection.ts";
import { openContext } from "../../support/connectors/open-context.ts";
import { pieceText } from "../../support/floor/piece-text.ts";

export interface Answered {
  readonly outcome: AnyOutcome;
  readonly emits: readonly Emission[];
}

export interface Scanned {
  readonly order: WorkOrder | undefined;
  readonly text: OperatorText | undefined;
}

/** The embedded system behind its stable outside: entries in, answers out; one thread, a real database file. */
export interface World {
  readonly apply: (id: string, topic: string, payload: unknown) => Answered;
  readonly list: () => Promise<readonly WorkOrder[]>;
  readonly scan: (code: string) => Promise<Scanned>;
  readonly report: (numbers: readonly string[]) => Promise<Report | undefined>;
  readonly now: () => number;
  readonly advanceMinutes: (minutes: number) => void;
  /** As after a crash: nothing is known but what the file holds. */
  readonly restart: () => void;
  readonly close: () => Promise<void>;
}

export const removedReceiptAfterMinutes = 60;

/** Between two entries: receipts that fall due by time are looked for once a second at most. */
const msBetweenEntries = 2_000;
const context = { language: "en", signal: new AbortController().signal } as const;

export interface WorldOptions {
  /** Each entry is applied and rolled back once before it is applied: nothing of that may be remembered. */
  readonly isUndoneFirst?: boolean;
}

export async function openWorld({ isUndoneFirst = false }: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-model-"));
  const databaseFile = join(folder, "crossdock.db");
  const options = withDefaults({ removedReceiptAfterMinutes });
  const database = openDatabase(databaseFile);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  let projection = openProjection(database, options);
  const clock = manualClock();
  const connector = await embedded.open(options, openContext({ databaseFile, clock }));
  const { operations } = connector;
  let seq = 0;

  return {
    apply: (id, topic, payload) => {
      seq += 1;
      clock.advance({ ms: msBetweenEntries });
      const entry = { id, seq, topic, payload, receivedAt: clock.now() };
      database.exec("BEGIN");
      let applied: Applied;
      try {
        if (isUndoneFirst) {
          projection.apply(entry);
          database.exec("ROLLBACK; BEGIN");
          projection.forget?.();
        }
        applied = projection.apply(entry);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
      if (applied.touched) connector.dropCaches();
      // A resident's outcome is plain data of this form; its declared type tells only whether it went well.
      return { outcome: applied.outcome as AnyOutcome, emits: applied.emits ?? [] };
    },
    list: async () => listed(await operations.listWorkOrders({}, context)),
    scan: async (code) => {
      const outcome = await operations.findWorkOrderByCode({ Code: code, StorageName: "Hall" }, context);
      return { order: outcome.ok ? decoded<WorkOrder>(outcome.data) : undefined, text: outcome.message };
    },
    report: async (workOrdersNumbers) => {
      const asked = { workOrdersNumbers: [...workOrdersNumbers], storageId: "1", remainingRequests: {} };
      const outcome = await operations.getReport(asked, context);
      return outcome.ok ? decoded<Report>(outcome.data) : undefined;
    },
    now: () => clock.now(),
    advanceMinutes: (minutes) => clock.advance({ minutes }),
    restart: () => {
      projection = openProjection(database, options);
    },
    close: async () => {
      await connector.close();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listed(outcome: AnyOutcome): readonly WorkOrder[] {
  if (!outcome.ok) throw new Error("the orders could not be listed");
  return decoded<WorkOrder[]>(outcome.data);
}

/** Data may be text already; the contract says what it is. */
function decoded<Data>(data: unknown): Data {
  if (data instanceof ReadyJson) return JSON.parse(data.text) as Data;
  if (data instanceof ReadyJsonList) return JSON.parse(`[${[...data.pieces].map(pieceText).join(",")}]`) as Data;
  return data as Data;
}
