import type { Config } from "../../config/config-schema.ts";
import { refusalFields } from "../../config/document/config-error.ts";
import type { Environment } from "../../config/settings.ts";
import { isFolderInUse } from "../../journal/sqlite/writer/durability.ts";
import { newReference } from "../../kit/ids.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { BodyBudget } from "../../server/connection/body-budget.ts";
import type { InputReader } from "../../server/contract/read-input.ts";
import { apiKey } from "../api-key.ts";
import { exchangedHandler } from "../listener/exchanged-handler.ts";
import type { MountedAdapter } from "../listener/mount.ts";
import { shortestWaitMs } from "../listener/wait-limits.ts";
import type { OwnerThreads } from "../replicated/roles/owner-threads.ts";
import { type OwnerRoles, startReplicated } from "../replicated/start-replicated.ts";
import { type RunningAdapter, type StartOptions, start } from "../start.ts";
import type { Telemetry } from "../telemetry/open-telemetry.ts";
import type { Opened } from "./gate/open-gate.ts";
import { answerUnavailable } from "./gate/unavailable-answer.ts";
import { type Deployment, fingerprintOf } from "./load-deployments.ts";
import { loadOneInThread } from "./load-in-thread.ts";

export interface OpenDeploymentNeeds {
  /** The deployment as it was last loaded. */
  readonly deployment: Deployment;
  /** The data folder of the process. */
  readonly dataFolder: string;
  readonly env: Environment;
  /** The address of the listener, without a base path. */
  readonly url: string;
  readonly host: string;
  readonly bodies: BodyBudget;
  /** Reads the requests of all deployments. */
  readonly reader: InputReader;
  readonly program: string | undefined;
  readonly telemetry: Telemetry | undefined;
  /** For the adapter, which masks its lines itself. */
  readonly log: Log;
  /** For everything else. */
  readonly maskedLog: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  /** The PostgreSQL of the process; absent: only the data folder is used. */
  readonly store: string | undefined;
  readonly advertise: string | undefined;
  /** The file of the process's certificate; absent without TLS. */
  readonly certificate: string | undefined;
  /** The name under which other processes know this one; absent without a PostgreSQL. */
  readonly processName: string | undefined;
  /** The threads for deployments that this process owns; absent without a PostgreSQL. */
  readonly ownerThreads: OwnerThreads | undefined;
  /** Whether this process should own the deployment, rather than another one. */
  readonly isWanted: () => boolean;
  /** Whether a person chose the process that should own it. */
  readonly isTaken: () => boolean;
  /** Whether this process is about to stop. */
  readonly isLeaving: () => boolean;
  /** Called when the configuration was changed from the deployment's own console. */
  readonly onLoaded: (deployment: Deployment) => void;
}

export interface OpenDeployment extends Opened, Pick<RunningAdapter, "reload"> {
  /** What can be asked and told about the roles of this and other processes; null without a PostgreSQL. */
  readonly roles: OwnerRoles | null;
}

/** How long a deployment may be without an owner before a process takes it over that should not own it. */
const withoutOwnerMs = 3_000;

/** Whether a deployment has something to do without requests: polls, deliveries, alarms. */
export function staysOpen({ connectors, platform, alarms }: Config): boolean {
  const { webhook, email } = alarms;
  const parts = [...Object.keys(connectors), ...Object.keys(platform.forward)];
  return parts.length > 0 || webhook !== undefined || email !== undefined;
}

/**
 * Opens one deployment under the listener of the process. If its file was changed, it is read again as at a start; an
 * invalid one is not used.
 */
export async function openDeployment(needs: OpenDeploymentNeeds): Promise<OpenDeployment> {
  const { deployment, dataFolder, env, timers, maskedLog: own, onLoaded } = needs;
  const { name, file, loaded } = deployment;
  if (fingerprintOf(file, loaded.secretSources.files) === deployment.fingerprint) return openLoaded(needs, deployment);
  let isValid = false;
  try {
    return await loadOneInThread({ name, file, dataFolder, env }, timers, async ({ deployments, withPlaces }) => {
      const [next] = deployments;
      if (next === undefined) throw new Error(`the deployment ${name} was not read`);
      isValid = true;
      const { basePath, hosts } = loaded.config;
      // The address stays the same: the process finds the deployment by it, and reads addresses only when all
      // configurations are read again.
      const config = { ...next.loaded.config, basePath, ...(hosts === undefined ? {} : { hosts }) };
      const changed = { ...next, loaded: { ...next.loaded, config } };
      onLoaded(changed);
      try {
        return await openLoaded(needs, changed);
      } catch (error) {
        throw await withPlaces(name, error);
      }
    });
  } catch (error) {
    if (isValid) throw error;
    own.error(refusalFields(error), "the changed configuration is refused; the old one stays in effect");
    return openLoaded(needs, deployment);
  }
}

/** How long a command may use the folder of a closed deployment while a request waits for it: less than the request. */
const folderInUseMs = 8_000;
const tryAgainMs = 200;

/** Waits for a command that checks or copies the folder, such as a backup: the deployment was closed when it began. */
async function startWhenFree(given: StartOptions, timers: Timers): Promise<RunningAdapter> {
  const began = timers.passed();
  for (;;) {
    try {
      return await start(given);
    } catch (error) {
      if (!isFolderInUse(error) || timers.passed() - began > folderInUseMs) throw error;
      await new Promise<void>((resolve) => timers.after(tryAgainMs, resolve));
    }
  }
}

async function openLoaded(needs: OpenDeploymentNeeds, deployment: Deployment): Promise<OpenDeployment> {
  const { dataFolder, env, url, host, bodies, program, log, clock, store, advertise } = needs;
  const { name, file, loaded } = deployment;
  const { config, describe, redact } = loaded;
  // The process has opened telemetry once for all deployments.
  const { telemetry: _variables, ...settings } = loaded.settings;
  const { key } = apiKey({ given: settings.apiKey, dataFolder: settings.dataFolder });
  let mounted: MountedAdapter | null = null;
  const exchange = exchangedHandler({
    timers: needs.timers,
    answerLate: (request, response) =>
      answerUnavailable(request, response, { basePath: config.basePath, newReference }),
  });
  const given: StartOptions = {
    ...{ config, describe, redact, log, clock, program, telemetry: needs.telemetry },
    settings: { ...settings, host, apiKey: key, ...(advertise === undefined ? {} : { advertise }) },
    configuration: { path: file, source: { deployment: { name, file, dataFolder, env } } },
    mount: {
      ...{
        name,
        bodies,
        reader: needs.reader,
        waitMs: shortestWaitMs,
        certificate: needs.certificate,
        serve: exchange.serve,
      },
      listening: async () => url + config.basePath,
      leave: (left) => {
        exchange.leave(left);
        mounted = null;
      },
      opened: (next) => {
        mounted = next;
      },
    },
  };
  // A deployment that is opened only by requests is owned by the process that gets the request: no other process would
  // open it.
  const isOurs = () => (!staysOpen(config) && !needs.isTaken()) || needs.isWanted();
  const { isLeaving, processName, ownerThreads } = needs;
  // A process that is about to stop serves what nobody else does: requests that it accepted before wait for it.
  const mayOwn = (ms: number) => ms > withoutOwnerMs || (!isLeaving() && isOurs());
  const replicated =
    store === undefined
      ? null
      : await startReplicated({ ...given, store, mayOwn, isLeaving, processName, ownerThreads });
  const adapter = replicated ?? (await startWhenFree(given, needs.timers));
  // A process that only follows can stop following without losing anything, unless it has to take over.
  const isStandby = () => store !== undefined && mounted === null;
  return {
    reload: adapter.reload,
    roles: replicated,
    close: async () => {
      await adapter.close();
      exchange.close();
    },
    isStandby,
    isIdle: () => (store === undefined || !staysOpen(config)) && (isStandby() || mounted?.isIdle() === true),
    metrics: () => mounted?.metrics() ?? [],
    handle: exchange.handle,
  };
}
