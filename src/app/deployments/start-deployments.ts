import { mkdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Server as TlsServer } from "node:tls";
import type { LoadedConfig } from "../../config/load-config.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { newReference } from "../../kit/ids.ts";
import { withoutFloods } from "../../kit/log.ts";
import { type Open, openAll } from "../../kit/open-all.ts";
import { type Clock, systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import type { ReloadReport } from "../../runtime/reload.ts";
import { bodyBudget } from "../../server/connection/body-budget.ts";
import { createListener } from "../../server/create-listener.ts";
import { removeAdapterFile, writeAdapterFile } from "../adapter-file.ts";
import { tlsListener } from "../tls-listener.ts";
import { type DeploymentsOptions, type DeploymentView, type Group, openGroup } from "./open-group.ts";
import { openProcessRoutes } from "./process-routes.ts";

/** A process that serves many deployments. */
export interface RunningDeployments {
  /** The address it listens on. */
  readonly url: string;
  readonly sample: null;
  /** Reads all configurations again: new deployments are added, removed ones closed, open ones reloaded. */
  readonly reload: (loaded: Pick<LoadedConfig, "config">) => Promise<ReloadReport>;
  /** Every deployment and its state, for `crossdock status` and `/deployments/status`. */
  readonly deploymentsView: () => readonly DeploymentView[];
  readonly close: () => Promise<void>;
}

/** One process holds more connections than one adapter, but one address may have only so many for a deployment. */
const connections = { mostPerAddress: 500, mostInAll: 4_000 };
/** For all deployments together; each may use a quarter of it. */
const bodiesBytes = 512 * 2 ** 20;
const sweepMs = 5_000;
/** Requests in progress may end; then the connections are closed. */
const closeMs = 2_000;

/** Loads all configurations, then listens; deployments are opened when they are needed. */
export async function startDeployments(options: DeploymentsOptions): Promise<RunningDeployments> {
  const { clock = systemClock } = options;
  const log = withoutFloods(options.log, clock);
  const { opened, close } = await openAll((open) => openProcess({ ...options, clock, log }, open), {
    onCloseFailed: (error) => log.error({ err: error }, "not everything could be closed after the failed start"),
  });
  return { ...opened, close };
}

async function openProcess(
  options: DeploymentsOptions & { readonly clock: Clock },
  open: Open,
): Promise<Omit<RunningDeployments, "close">> {
  const { settings, log, clock, timers = systemTimers } = options;
  const { dataFolder, host, port, socketFd } = settings;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  // Otherwise a second process would find out only when it opens a deployment.
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
  // A function, because the address is known only when it listens.
  let url = "";
  const group: Group = await open(
    "deployments",
    () => openGroup({ ...options, timers, common, url: () => url }),
    (one) => one.close(),
  );
  const routes = await open(
    "process routes",
    () => openProcessRoutes({ apiKey: settings.apiKey, clock, group }),
    (one) => one.close(),
  );
  let isClosing = false;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (isClosing) response.setHeader("connection", "close");
    if (routes.handle(request, response)) return;
    const gate = group.find(request);
    if (gate === null) routes.unknown(request, response);
    else if (!routes.answerAsleep(gate, request, response)) gate.handle(request, response);
  };
  const { tls: files } = options.config.platform;
  const tls =
    files === undefined
      ? null
      : await open(
          "certificates",
          () => tlsListener({ files, timers, log }),
          (one) => one.stop(),
        );
  const server = createListener({
    ...{ handle, newReference, connections },
    groupOf: (request) => group.find(request)?.name ?? "",
    ...(tls === null ? {} : { tls: tls.options }),
  });
  await open(
    "listener",
    () =>
      new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(socketFd === undefined ? { port, host } : { fd: socketFd }, () => resolve());
      }),
    async () => {
      isClosing = true;
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // At the same time: open consoles end with their deployment, and would keep the listener from closing.
      const closed = group.close();
      const force = setTimeout(() => server.closeAllConnections(), closeMs);
      await Promise.all([ended, closed]);
      clearTimeout(force);
    },
  );
  // The server was created with certificates; its declared type does not show that.
  tls?.follow(server as unknown as TlsServer);
  // A server on a port has an address of this kind.
  const bound = (server.address() as AddressInfo).port;
  url = `${tls === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  await open(
    "address",
    () => writeAdapterFile(dataFolder, { url, pid: process.pid }),
    () => removeAdapterFile(dataFolder),
  );
  group.begin();
  return {
    ...{ url, sample: null, deploymentsView: group.view },
    reload: async ({ config }) => {
      const report = await group.reload(config.deployments ?? options.config.deployments);
      tls?.reload(config.platform.tls);
      return report;
    },
  };
}
