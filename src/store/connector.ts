import type { Static } from "typebox";
import type { InputOf } from "../contract/operations.ts";
import { itemFileOutcome, workOrderFileOutcome } from "../formats/import/read-file.ts";
import { moduleUrl } from "../kit/module-url.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import { type Outcome, ok } from "../operation/outcome.ts";
import type { ConnectorDefinition, OpenConnector, OpenContext, Queries } from "../sdk/connector.ts";
import { openColumns } from "./export/column.ts";
import { exportValues } from "./export/export-values.ts";
import { exportedOrders } from "./export/exported-orders.ts";
import { openLongTexts } from "./long-texts/long-texts.ts";
import { withDefaults } from "./option-defaults.ts";
import { embeddedOptions } from "./options.ts";
import { openChangeNotices } from "./queries/change-notices.ts";
import { findPutWallOrders } from "./queries/find-put-wall-orders.ts";
import { findWorkOrderByCode, readyAnswers } from "./queries/find-work-order-by-code.ts";
import { getItem, getItemImage } from "./queries/get-item.ts";
import { openReport } from "./queries/get-report.ts";
import { listWorkOrders } from "./queries/list-work-orders.ts";
import { storedSoundness } from "./stored-soundness.ts";

/** The part of the embedded system that answers queries. */
export interface OpenEmbedded extends OpenConnector {
  readonly operations: Required<Queries>;
  /** Must be called after each commit that changed orders or items: cached answers may be outdated then. */
  readonly dropCaches: () => void;
}

const scanLimits = { maxCount: 20_000, maxBytes: 32 * 1024 * 1024 };
const itemLimits = { maxCount: 10_000, maxBytes: 4 * 1024 * 1024 };

async function open(given: Static<typeof embeddedOptions>, context: OpenContext): Promise<OpenEmbedded> {
  const options = withDefaults(given);
  const columns = await openColumns(options.exportColumns, context.log);
  const database = openDatabase(context.databaseFile, { readOnly: true });
  const notices = openChangeNotices({ database, databaseFile: context.databaseFile, timers: context.timers });
  const longTexts = openLongTexts({ databaseFile: context.databaseFile, timers: context.timers });
  const scans = readyAnswers<Outcome<"findWorkOrderByCode">>(scanLimits);
  const items = readyAnswers<Outcome<"getItem">>(itemLimits);
  const orders = exportedOrders(database);
  const readsOrders = columns.some(({ sources }) => sources.includes("order"));
  const dates = { timeZone: options.timeZone, timeOfDay: options.timeOfDay };
  const report = openReport({ database });
  const soundness = storedSoundness(database, context, dates);
  const { isSound } = soundness;
  const files = { ...options.files, dates };
  const columnList = options.exportColumns.map(({ key, header }) => ({ key, header }));

  return {
    operations: {
      listWorkOrders: listWorkOrders({
        ...{ database, clock: context.clock, expireAfterDays: options.expireAfterDays },
        ...{ dates, longTexts, isSound },
      }),
      findWorkOrderByCode: findWorkOrderByCode({ database, answers: scans, notices, longTexts, isSound }),
      findPutWallOrders: findPutWallOrders({ database, notices, longTexts, isSound }),
      getItem: getItem({ database, answers: items, longTexts, isSound }),
      getItemImage: getItemImage({ database, longTexts }),
      getReport: report.answer,
      getExportColumns: () => ok(columnList),
      getExportValues: exportValues({
        columns,
        clock: context.clock,
        orderText: orders.textOf,
      }),
      parseWorkOrderFile: (upload) => workOrderFileOutcome(upload, files),
      parseItemFile: (upload) => itemFileOutcome(upload, files),
      getIndexableValueLabel: () => ok({ label: options.indexableValueLabel }),
    },
    // Only without expressions: one that ran out of time is skipped for the rest of its export, and separate parts
    // would not know.
    byElement: columns.every(({ isPlain }) => isPlain) ? ["getExportValues"] : [],
    // The input was validated against its operation's schema before it gets here.
    isLong: (id, input) =>
      (id === "getReport" && report.isLong(input as InputOf<"getReport">)) ||
      (id === "getExportValues" && readsOrders && orders.isLong(input as InputOf<"getExportValues">)),
    dropCaches: () => {
      scans.drop();
      items.drop();
      soundness.checkAgain();
    },
    check: async () => {
      database.statement("SELECT 1 FROM work_order LIMIT 1").get();
    },
    close: async () => {
      soundness.close();
      await notices.close();
      await longTexts.close();
      database.close();
    },
  };
}

/**
 * The default external system: orders, items, containers, stock and quantities in the adapter's own database. It does
 * not use defineConnector, because that type would hide dropCaches from its caller.
 */
export const embedded = {
  type: "embedded",
  summary: "Crossdock's own order and item store; external systems push into it.",
  options: embeddedOptions,
  projectionModule: moduleUrl("./store-projection", import.meta.url),
  open,
} satisfies ConnectorDefinition<Static<typeof embeddedOptions>>;
