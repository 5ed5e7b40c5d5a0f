import { flowWatch } from "../../engine/alarms/flow-watch.ts";
import { openActionLog } from "../../engine/audit/open-action-log.ts";
import { openFigures } from "../../engine/figures/open-figures.ts";
import { createTally, exemplarsOf } from "../../engine/metrics/tally.ts";
import { pruneRegularly } from "../../engine/prune-regularly.ts";
import type { Open } from "../../kit/open-all.ts";
import type { Snapshot } from "../../runtime/snapshot.ts";
import { openAlarms } from "../alarms/open-alarms.ts";
import type { OpenDataFolder } from "./open-data-folder.ts";
import type { Surroundings } from "./start-options.ts";

export type OpenWatch = Awaited<ReturnType<typeof openWatch>>;

/**
 * Opens what watches the journal and counts what passes: retention, alarms, figures, and the log of what people did.
 */
export async function openWatch(
  needs: Pick<Surroundings, "clock" | "timers" | "log" | "tracing">,
  { journal, side, quarantine, disk, orderRecords }: OpenDataFolder,
  current: () => Snapshot,
  open: Open,
) {
  const { clock, timers, log, tracing } = needs;
  const retention = () => current().config.retention;
  const openPruning = () => pruneRegularly({ journal, clock, timers, log, retention });
  await open("pruning", openPruning, (stop) => stop());
  const openAlarmWatch = () =>
    openAlarms({ ...side, current, clock, timers, journal, quarantine, disk, orders: orderRecords });
  const alarms = await open("alarms", openAlarmWatch, (one) => one.close());
  const tally = createTally(exemplarsOf(tracing, clock));
  journal.onBatch(tally.committed);
  const openFigureFile = () => openFigures({ ...side, clock, timers });
  const figures = await open("figures", openFigureFile, (one) => one.close());
  const watch = flowWatch({ tally, flows: alarms.flows, failures: alarms.failures, figures });
  const openActions = () => openActionLog({ ...side, clock });
  const actions = await open("actions", openActions, (one) => one.close());
  return { alarms, tally, figures, watch, actions };
}
