import { mkdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { LoadedConfig } from "../../config/load-config.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { type Log, withoutFloods } from "../../kit/log.ts";
import { type Open, openAll } from "../../kit/open-all.ts";
import { keepTicksFast } from "../../kit/threads/keep-ticks-fast.ts";
import { type Clock, systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import type { ReloadReport } from "../../runtime/reload.ts";
import { bodyBudget } from "../../server/connection/body-budget.ts";
import { removeAdapterFile, writeAdapterFile } from "../adapter-file.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import { openListener } from "../listener/open-listener.ts";
import { type OpenAdapterLog, openAdapterLog } from "../log/open-adapter-log.ts";
import { telemetryOf } from "../telemetry-of.ts";
import type { DeploymentsOptions, DeploymentView, Group } from "./group/group.ts";
import { openGroup } from "./group/open-group.ts";
import { openProcessRoutes } from "./process-routes.ts";

/** A process that serves many deployments. */
export interface RunningDeployments {
  /** The address that the process listens on. */
  readonly url: string;
  readonly sample: null;
  /** Reads all configurations again: new deployments are added, removed ones closed, open ones reloaded. */
  readonly reload: (loaded: Pick<LoadedConfig, "config">) => Promise<ReloadReport>;
  /** Every deployment and its state, for `crossdock status` and `/deployments/status`. */
  readonly deploymentsView: () => readonly DeploymentView[];
  readonly close: () => Promise<void>;
}

/**
 * Limits of connections. The process holds more than a single adapter, but one address may have only as many as for one
 * deployment.
 */
const connections = { mostPerAddress: 500, mostInAll: 4_000 };
/** Memory for bodies of all deployments together; each may use a quarter of it. */
const bodiesBytes = 512 * 2 ** 20;
const sweepMs = 5_000;
/** How long requests may take at a stop that wait for other processes. */
const finishMs = 10_000;

/** Loads all configurations, then listens. Deployments are opened when they are needed. */
export async function startDeployments(options: DeploymentsOptions): Promise<RunningDeployments> {
  // Before any deployment is opened: ticks that are slow by then stay slow.
  keepTicksFast();
  const { clock = systemClock } = options;
  const lines = openAdapterLog({ log: options.log, config: options.config, clock });
  const log = withoutFloods(lines.log, clock);
  const given = { ...options, clock, log, allLines: options.log, learn: lines.learn, configure: lines.configure };
  const { opened, close } = await openAll((open) => openProcess(given, open), {
    onCloseFailed: (error) => log.error({ err: error }, "not everything could be closed after the failed start"),
  });
  return { ...opened, close };
}

async function openProcess(
  options: DeploymentsOptions &
    Pick<OpenAdapterLog, "learn" | "configure"> & { readonly clock: Clock; readonly allLines: Log },
  open: Open,
): Promise<Omit<RunningDeployments, "close">> {
  const { settings, log, clock, timers = systemTimers } = options;
  const { dataFolder, host, port, socketFd } = settings;
  const telemetry = await telemetryOf(settings, { log, timers }, open);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  refuseFolders(dataFolder);
  // Without this lock, a second process would notice the conflict only when it opens a deployment.
  await open(
    "lock",
    () => holdInstanceLock(join(dataFolder, "deployments.lock")),
    (release) => release(),
  );
  const common = bodyBudget({ maxBytes: bodiesBytes, now: () => performance.now() });
  const sweep = setInterval(common.sweep, sweepMs).unref();
  await open(
    "bodies",
    () => sweep,
    (timer) => clearInterval(timer),
  );
  // Passed as a function, because the address is known only when the process listens.
  let url = "";
  const group: Group = await open(
    "deployments",
    () => openGroup({ ...options, timers, common, telemetry, url: () => url }),
    (one) => one.close(),
  );
  const routes = await open(
    "process routes",
    () => openProcessRoutes({ apiKey: settings.apiKey, clock, group, telemetry }),
    (one) => one.close(),
  );
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (routes.handle(request, response)) return;
    const gate = group.find(request);
    if (gate === null) routes.unknown(request, response);
    else if (!routes.answerAsleep(gate, request, response)) gate.handle(request, response);
  };
  const listener = await open(
    "listener",
    () =>
      openListener({
        ...{ handle, connections, host, port, socketFd, clock, timers, log, tls: options.config.platform.tls },
        ...(options.store === undefined ? {} : { finishMs }),
        groupOf: (request) => group.find(request)?.name ?? "",
      }),
    async (one) => {
      // Other processes pass requests on to this one until they have taken over.
      await group.leave();
      await one.close(group.close);
    },
  );
  url = listener.url;
  await open(
    "address",
    () => writeAdapterFile(dataFolder, { url, pid: process.pid }),
    () => removeAdapterFile(dataFolder),
  );
  group.begin();
  return {
    ...{ url, sample: null, deploymentsView: group.view },
    reload: async ({ config }) => {
      options.learn(config);
      const report = await group.reload(config.deployments ?? options.config.deployments);
      options.configure(config);
      listener.reloadCertificates(config.platform.tls);
      return report;
    },
  };
}
