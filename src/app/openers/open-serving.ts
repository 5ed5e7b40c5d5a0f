import { openOverview } from "../../engine/journal-view/open-overview.ts";
import type { RecordRetry } from "../../engine/quarantine/retry-record.ts";
import type { Open } from "../../kit/open-all.ts";
import { editThread } from "../../large-bodies/edits/edit-thread.ts";
import type { Snapshot } from "../../runtime/snapshot.ts";
import { readinessOf } from "../../server/ops/health-routes.ts";
import { removeAdapterFile, writeAdapterFile } from "../adapter-file.ts";
import { adapterView } from "../adapter-view.ts";
import { testChannels } from "../alarms/test-channels.ts";
import { consoleTools } from "../console-tools/console-tools.ts";
import { openMetrics } from "../open-metrics.ts";
import { openServer } from "../open-server.ts";
import type { Telemetry } from "../telemetry/open-telemetry.ts";
import { versionInfo } from "../version-info.ts";
import type { OpenDataFolder } from "./open-data-folder.ts";
import type { OpenDelivery } from "./open-delivery.ts";
import type { OpenWatch } from "./open-watch.ts";
import type { RunningAdapter, Surroundings } from "./start-options.ts";

export interface ServingNeeds extends Surroundings {
  readonly current: () => Snapshot;
  readonly telemetry: Telemetry | undefined;
  readonly recordRetry: RecordRetry;
  readonly reload: RunningAdapter["reload"];
  /** Called with the address, which only the listening server knows. */
  readonly onListening: (url: string) => void;
  /** The address that the server listens on; empty before it listens. */
  readonly ownUrl: () => string;
  /** Called when the adapter begins to close. */
  readonly onClosing: () => void;
  /** The server library, which is loaded while the data folder is opened. */
  readonly library: Parameters<typeof openServer>[2];
}

/** Opens what is served: metrics, readiness, the tools of the console, and the server with all its routes. */
export async function openServing(
  needs: ServingNeeds,
  { journal, read, views, quarantine, disk, guards }: OpenDataFolder,
  { alarms, tally, figures, watch, actions }: OpenWatch,
  { requests, outbox, events, seenIds }: OpenDelivery,
  open: Open,
) {
  const { config, settings, current, clock, timers, log, lines, tracing, telemetry, mount, ownUrl } = needs;
  const { dataFolder, apiKey } = settings;
  const { version } = versionInfo();
  const counted = { tally, outbox, read, quarantine, disk, alarms: alarms.raised, clock };
  const isAlone = mount?.name === undefined;
  const openMeters = () =>
    openMetrics({
      ...{ ...counted, version, labels: isAlone ? undefined : { deployment: mount.name } },
      telemetry: isAlone ? telemetry?.metrics : undefined,
    });
  const metrics = await open("metrics", openMeters, (one) => one.close());
  const sendMetrics = () => (isAlone ? telemetry && metrics.sendBy(telemetry) : undefined);
  await open("metrics to send", sendMetrics, (end) => end?.());
  let isClosing = false;
  const readiness = () =>
    readinessOf({
      isClosing,
      journalFailure: journal.failure(),
      refusedWrite: journal.trouble().refused,
      damage: journal.trouble().damage,
      isDiskFull: disk.isFull(),
      fallback: current().fallbackState(),
      alarms: alarms.raised(),
      owner: needs.replica?.owns,
    });
  const openEdits = () => editThread(timers);
  const edits = await open("edited bodies", openEdits, (one) => one.close());
  const overview = openOverview({
    ...{ journal, outbox, views, clock, checkEdit: edits.check, lastKnown: guards.lastKnown },
  });
  const settled = { config: () => current().config, version };
  const openTools = () => consoleTools({ ...needs, apiKey, dataFolder, current: settled.config, url: ownUrl });
  const tools = await open("console tools", openTools, (one) => one.close());
  const floorControl = await open("floor control", tools.floor, (one) => one.close());
  const view = adapterView({ ...settled, overview, quarantine, readiness, clock });
  const testAlarms = (operator: string) => {
    const { channels, users } = current();
    const tested = testChannels({ channels: channels.byName, clock, timers, maskSecrets: lines.maskSecrets }, operator);
    // Counts as a user of the snapshot: otherwise a reload could close a channel that is sending.
    users.during(tested);
    return tested;
  };
  const { url, reloadCertificates } = await openServer(
    {
      ...{
        config,
        settings,
        current,
        hasBulk: needs.connector === undefined,
        events,
        watch,
        clock,
        timers,
        log,
        mount,
      },
      ...{ read, overview, readEdit: edits.read, quarantine, recordRetry: needs.recordRetry, seenIds, readiness },
      ...{ tracing, testAlarms, adapterView: view, figures, actions, floorControl, configEditor: tools.config },
      metricsText: metrics.text,
      maskSecrets: lines.maskSecrets,
      logControl: { ...requests, levels: lines.levels.view, setLevel: lines.levels.set },
      ...{ callerSecret: needs.replica?.secret },
    },
    open,
    needs.library,
  );
  needs.onListening(url);
  await open(
    "address",
    // A process with a listener of its own writes these files itself, because its address stays when adapters are
    // closed.
    () => (mount === undefined ? writeAdapterFile(dataFolder, { url, pid: process.pid }) : undefined),
    () => {
      isClosing = true;
      if (mount === undefined) removeAdapterFile(dataFolder);
      needs.onClosing();
    },
  );
  return { url, reloadCertificates, metrics };
}
