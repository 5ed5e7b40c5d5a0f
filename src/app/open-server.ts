import type { RequestListener } from "node:http";
import type { Server } from "node:tls";
import type { Config } from "../config/config-schema.ts";
import type { Settings } from "../config/settings.ts";
import { openApiSteps } from "../contract/derive/openapi.ts";
import type { FlowWatch } from "../engine/alarms/flow-watch.ts";
import type { ActionLog } from "../engine/audit/open-action-log.ts";
import type { Figures } from "../engine/figures/open-figures.ts";
import type { Overview } from "../engine/journal-view/open-overview.ts";
import type { Quarantine } from "../engine/quarantine/quarantine.ts";
import type { RecordRetry } from "../engine/quarantine/retry-record.ts";
import type { JournalReader } from "../journal/journal.ts";
import { newReference } from "../kit/ids.ts";
import type { Log } from "../kit/log.ts";
import type { Open } from "../kit/open-all.ts";
import { type Clock, withDeadline } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";
import type { Tracing } from "../kit/tracing/tracing.ts";
import { previewInThread } from "../large-bodies/preview/preview-in-thread.ts";
import type { Snapshot } from "../runtime/snapshot.ts";
import { adminGate } from "../server/admin/admin-gate.ts";
import { adminRoutes } from "../server/admin/admin-routes.ts";
import { liveRoutes } from "../server/admin/live-routes.ts";
import { type LogControl, logRoutes } from "../server/admin/log-routes.ts";
import { type OverviewRouteNeeds, overviewRoutes } from "../server/admin/overview-routes.ts";
import { type QuarantineRouteNeeds, quarantineRoutes } from "../server/admin/quarantine-routes.ts";
import type { ReadEdit } from "../server/admin/read-edit.ts";
import { sessionRoutes } from "../server/admin/session-routes.ts";
import { rememberDeliveries, type SeenIds } from "../server/auth/open-seen-ids.ts";
import { requestsInProgress } from "../server/connection/requests-in-progress.ts";
import { consoleRoutes } from "../server/console/console-routes.ts";
import { contractRoutes } from "../server/contract/contract-routes.ts";
import { prepareSoon } from "../server/contract/prepare-soon.ts";
import { type EventReader, inputReader } from "../server/contract/read-input.ts";
import { limitsWithQueue, listenAtSocket, mostConnections } from "../server/create-listener.ts";
import { inboundRoutes, receiptRoute } from "../server/inbound/inbound-routes.ts";
import { oidcRoutes } from "../server/oidc/oidc-routes.ts";
import { type CaptureNeeds, captureExchanges } from "../server/ops/capture-exchanges.ts";
import { docsRoutes } from "../server/ops/docs-routes.ts";
import { healthRoutes, metricsRoutes, type Readiness } from "../server/ops/health-routes.ts";
import { platformAuth } from "../server/platform-auth.ts";
import { type AccessRouteNeeds, accessRoutes } from "../server/workshop/access-routes.ts";
import type { ConfigEditor } from "../server/workshop/config-editor.ts";
import { configRoutes } from "../server/workshop/config-routes.ts";
import type { FloorControl } from "../server/workshop/floor-control.ts";
import { floorRoutes } from "../server/workshop/floor-routes.ts";
import { importRoutes } from "../server/workshop/import-routes.ts";
import { accessView, alarmsView } from "./console-tools/access-view.ts";
import { mappingRules } from "./console-tools/mapping-rules.ts";
import { takeLastRequests } from "./listener/last-requests.ts";
import type { Mount } from "./listener/mount.ts";
import { tlsListener } from "./listener/tls-listener.ts";
import { consoleFolder, swaggerUiFolder, versionInfo } from "./version-info.ts";

export interface ServerNeeds {
  readonly config: Config;
  readonly settings: Settings & { readonly apiKey: string };
  readonly current: () => Snapshot;
  readonly hasBulk: boolean;
  /** The server's setting of this name. */
  readonly callerSecret: string | undefined;
  readonly events: EventReader;
  readonly watch: Pick<FlowWatch, "onAnswer" | "onTaken">;
  readonly read: JournalReader;
  readonly overview: Overview;
  readonly readEdit: ReadEdit;
  readonly quarantine: Quarantine;
  readonly recordRetry: RecordRetry;
  readonly configEditor: () => Promise<ConfigEditor>;
  readonly floorControl: FloorControl;
  readonly logControl: LogControl & Pick<CaptureNeeds, "isWanted" | "onWanted" | "onExchange">;
  readonly seenIds: SeenIds;
  readonly readiness: () => Readiness;
  readonly adapterView: OverviewRouteNeeds["view"];
  readonly figures: Pick<Figures, "series">;
  readonly actions: ActionLog;
  readonly maskSecrets: (text: string) => string;
  readonly testAlarms: AccessRouteNeeds["testAlarms"];
  readonly tracing?: Tracing | undefined;
  readonly metricsText: Parameters<typeof metricsRoutes>[1]["text"];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Absent: the server listens itself. */
  readonly mount?: Mount | undefined;
}

export interface OpenServer {
  /** The address that the server listens on, with the base path. */
  readonly url: string;
  /** Reads the certificates again, from other files if they are given. */
  readonly reloadCertificates: (files: Config["platform"]["tls"]) => void;
}

/** The time limit for closing the server. With the steps that follow, a stop takes at most five seconds. */
const closeMs = 1_800;

/** Opens the server with all its routes and listens. */
export async function openServer(
  needs: ServerNeeds,
  open: Open,
  library: Pick<typeof import("../server/server.ts"), "backlog" | "bodiesFor" | "createServer">,
): Promise<OpenServer> {
  const { config, settings, current, watch, quarantine, clock, timers, log, mount } = needs;
  const { basePath, platform } = config;
  const { apiKey } = settings;
  const version = versionInfo();
  const bodyLimitBytes = config.bodyLimitMiB * 2 ** 20;
  const bodies = mount?.bodies ?? library.bodiesFor(bodyLimitBytes);
  const tls = mount !== undefined || platform.tls === undefined ? null : await openTls(platform.tls);
  const { callerSecret } = needs;
  const edges = {
    basePath,
    bodyLimitBytes,
    bodies,
    current,
    callerSecret,
    tracing: needs.tracing,
    ...(tls === null ? {} : { tls: tls.options }),
    connections: limitsWithQueue(mostConnections, { ...settings, passed: timers.passed }),
    isBehindTls: mount?.certificate !== undefined,
    inProgress: mount === undefined ? undefined : requestsInProgress(),
  };
  const onMounted: RequestListener = (request, response) => void app.server.emit("request", request, response);
  let answersDecided = async () => {};
  const app = await open(
    "server",
    () => library.createServer({ ...edges, log, newReference }),
    async (one) => {
      if (mount === undefined) await takeLastRequests(one.server);
      // Accepted requests are finished. A connection that is still open after that has a client that does not read.
      const force = setTimeout(() => one.server.closeAllConnections(), closeMs);
      await one.close();
      await edges.inProgress?.finished(closeMs);
      // Known a moment after the last answer, and stored in the journal, which is closed soon. Of a caller that does not
      // read its answer it is never known.
      await withDeadline(answersDecided(), closeMs, () => {}).catch(() => {});
      mount?.leave(onMounted);
      clearTimeout(force);
    },
  );
  captureExchanges(app.server, { ...needs.logControl, now: clock.now });
  platformAuth(app, { basePath, newReference });
  rememberDeliveries(app, needs);
  const { hasBulk, events } = needs;
  const { onAnswer, onTaken } = watch;
  const reading = { reader: mount?.reader ?? inputReader(), events, hasBulk };
  await open(
    "checks of requests",
    () => prepareSoon(reading.reader, timers),
    (callOff) => callOff(),
  );
  const { tracing } = needs;
  const contract = { ...reading, versionInfo: version, bodyLimitBytes, bodies, onAnswer, tracing };
  ({ answersDecided } = contractRoutes(app, contract));
  inboundRoutes(app, { onTaken, log, basePath, newReference });
  receiptRoute(app, { read: needs.read, basePath, newReference });
  const dates = () => current().dates;
  const gate = adminGate({ apiKey, newReference, clock, settings: () => current().config.console });
  const admin = { gate, log, basePath, newReference };
  sessionRoutes(app, { ...admin, dates, traceUrl: () => current().config.console.traceUrl });
  oidcRoutes(app, { ...admin, clock, provider: () => current().identityProvider });
  const { actions } = needs;
  const support = { maskSecrets: needs.maskSecrets, version: version.version, clock };
  const { readEdit } = needs;
  adminRoutes(app, { ...admin, ...support, actions, overview: needs.overview, dates, readEdit });
  const rules: QuarantineRouteNeeds["rules"] = (asked) => mappingRules(current().config, asked);
  quarantineRoutes(app, { ...admin, actions, readEdit, quarantine, recordRetry: needs.recordRetry, rules });
  floorRoutes(app, { ...admin, control: needs.floorControl, actions });
  importRoutes(app, { ...admin, preview: previewInThread(), settings: () => fileSettings(current().config) });
  accessRoutes(app, {
    ...{ ...admin, actions, testAlarms: needs.testAlarms },
    access: () => accessView(current().config),
    alarms: () => alarmsView(current().config),
  });
  configRoutes(app, { ...admin, editor: needs.configEditor, actions });
  logRoutes(app, { ...admin, actions, control: needs.logControl });
  overviewRoutes(app, { ...admin, view: needs.adapterView, series: needs.figures.series, actions });
  const alsoShown = () => {
    const { ready, alarms = [] } = needs.readiness();
    // Without the texts, which may count seconds: open consoles would load everything again with each of them.
    return [ready, alarms.map(({ alarm, subject }) => [alarm, subject]), quarantine.count()];
  };
  liveRoutes(app, { ...admin, overview: needs.overview, alsoShown, timers, current });
  consoleRoutes(app, {
    folder: consoleFolder(),
    hasOidc: () => current().identityProvider !== null,
    basePath,
    newReference,
  });
  healthRoutes(app, { basePath, readiness: needs.readiness });
  metricsRoutes(app, { basePath, clock, text: needs.metricsText });
  docsRoutes(app, {
    basePath,
    folder: swaggerUiFolder(),
    openApi: () => openApiSteps({ version: version.version, serverUrl: basePath || "/" }),
  });
  await app.ready();
  if (mount !== undefined) {
    mount.serve(onMounted);
    return { url: await mount.listening(), reloadCertificates: () => {} };
  }
  const address = await listen();
  // The server was created with certificates; its declared type does not show that.
  tls?.follow(app.server as unknown as Server);
  return { url: address + basePath, reloadCertificates: (files) => tls?.reload(files) };

  async function listen(): Promise<string> {
    const { port, host, socketFd } = settings;
    if (socketFd === undefined) return await app.listen({ port, host, backlog: library.backlog });
    await listenAtSocket(app.server, socketFd);
    return `${tls === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  }

  function openTls(files: NonNullable<Config["platform"]["tls"]>) {
    return open(
      "certificates",
      () => tlsListener({ files, clock, timers, log }),
      (one) => one.stop(),
    );
  }
}

const fileSettings = ({ files, timeZone, timeOfDay }: Config) => ({ ...files, dates: { timeZone, timeOfDay } });
