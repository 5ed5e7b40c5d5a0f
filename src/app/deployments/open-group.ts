import type { IncomingMessage } from "node:http";
import type { Config } from "../../config/config-schema.ts";
import type { DeploymentOptions } from "../../config/sections/deployment-options.ts";
import type { Environment, Settings } from "../../config/settings.ts";
import { newReference } from "../../kit/ids.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { ReloadReport } from "../../runtime/reload.ts";
import { type BodyBudget, bodyBudget, shareOf } from "../../server/connection/body-budget.ts";
import { removeAdapterFile, writeAdapterFile } from "../adapter-file.ts";
import { apiKey } from "../api-key.ts";
import { manyOwners, ownerThreads } from "../replicated/roles/owner-threads.ts";
import { patienceMs, pollMs } from "../replicated/roles/shared-deployment.ts";
import type { Telemetry } from "../telemetry/open-telemetry.ts";
import { moves } from "./cluster/moves.ts";
import { type Cluster, openCluster } from "./cluster/open-cluster.ts";
import { preparations } from "./cluster/preparations.ts";
import { deploymentLog, gateLog } from "./deployment-log.ts";
import { deploymentFinder } from "./find-deployment.ts";
import { fairShares, type Share } from "./gate/fair-shares.ts";
import { type Gate, type GateState, openGate } from "./gate/open-gate.ts";
import { openPlaces } from "./gate/open-places.ts";
import { databaseFingerprint, isKnownIdle, removeIdleFile, writeIdleFile } from "./idle-file.ts";
import { type Deployment, type DeploymentsNeeds, environmentFor, loadDeployments } from "./load-deployments.ts";
import { loadInThread, type ReadDeployments } from "./load-in-thread.ts";
import { type OpenDeployment, openDeployment, staysOpen } from "./open-deployment.ts";

export interface DeploymentsOptions {
  readonly config: Config & { readonly deployments: DeploymentOptions };
  readonly settings: Settings & { readonly apiKey: string };
  /** The configuration file of the process. */
  readonly source: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly program?: string | undefined;
  /** A PostgreSQL for all deployments; absent: the data folder. */
  readonly store?: string | undefined;
}

/** A deployment as it is shown to people. */
export interface DeploymentView {
  readonly name: string;
  readonly state: GateState;
  /** Whether this process owns the deployment; null while it is closed. */
  readonly isOwner: boolean | null;
  readonly basePath: string;
  /** Null: reached under every host name that no other deployment has. */
  readonly hosts: readonly string[] | null;
  readonly running: number;
  readonly waiting: number;
  /** Why the deployment could not be opened the last time; null if it could. */
  readonly failure: string | null;
}

/** A deployment of the process, open or not. */
export interface Member extends Gate {
  readonly name: string;
  readonly basePath: string;
  readonly hosts?: readonly string[] | undefined;
}

export interface Group {
  readonly find: (request: IncomingMessage) => Member | null;
  readonly members: () => Iterable<Member>;
  readonly view: () => readonly DeploymentView[];
  /** Opens the deployments that have something to do without a request. Call this when the process listens. */
  readonly begin: () => void;
  readonly reload: (options: DeploymentOptions) => Promise<ReloadReport>;
  /**
   * Hands over to the other processes, if there are any. Call this before `close`, while the process still listens.
   */
  readonly leave: () => Promise<void>;
  /** A second call waits for the first. */
  readonly close: () => Promise<void>;
}

export interface GroupNeeds extends DeploymentsOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly common: BodyBudget;
  /** The telemetry that all deployments share; absent: nothing is sent to a collector. */
  readonly telemetry?: Telemetry | undefined;
  /** The log without levels, because each deployment has its own levels. */
  readonly allLines: Log;
  readonly url: () => string;
}

interface Kept extends Member {
  deployment: Deployment;
  readonly share: Share;
  readonly adapter: () => OpenDeployment | null;
}

/** Limit of requests that run at the same time, for all deployments together. */
const mostAtOnce = 128;
const ownBodiesBytes = 128 * 2 ** 20;
/** Loads all deployments of the folder and keeps a gate for each of them. */
export async function openGroup(needs: GroupNeeds): Promise<Group> {
  const { settings, timers, log } = needs;
  const env = environmentFor(needs);
  const all = ({ folder }: DeploymentOptions): DeploymentsNeeds => {
    const { source, env: variables, cwd, store } = needs;
    return { source, folder, dataFolder: settings.dataFolder, env: variables, cwd, isShared: store !== undefined };
  };
  let options = needs.config.deployments;
  const shares = fairShares({ mostAtOnce });
  const kept = new Map<string, Kept>();
  const places = openPlaces({ most: () => options.mostOpen, open: () => [...kept.values()], timers });
  /** Deployments that have something to do and could not be opened. */
  const overdue = new Set<string>();
  const threads =
    needs.store === undefined
      ? undefined
      : ownerThreads({ url: needs.store, name: "crossdock owner", patienceMs, pollMs, ...manyOwners });
  let find = deploymentFinder<Kept>([]);
  let cancel = () => {};
  let cluster: Cluster | null = null;
  let isBegun = false;
  let lastReload: Promise<unknown> = Promise.resolve();
  /** Settles when the deployments that the last reload has removed are closed. */
  let removing: Promise<void> = Promise.resolve();
  let closing: Promise<void> | null = null;

  /**
   * Adds a deployment. Its predecessor may still be open on the same data folder under an earlier address, so its end
   * is awaited.
   */
  const add = (deployment: Deployment, before: Promise<void>): Kept => {
    const { name, loaded } = deployment;
    const { basePath, hosts, budgets } = loaded.config;
    const { dataFolder } = loaded.settings;
    const named = deploymentLog(needs.allLines, name);
    const own = gateLog(named, () => one.deployment.loaded, needs.clock);
    const bodies = shareOf(needs.common, bodyBudget({ maxBytes: ownBodiesBytes, now: () => performance.now() }));
    const share = shares.open();
    let adapter: OpenDeployment | null = null;
    const gate = openGate({
      ...{ share, timers, log: own, newReference, address: { basePath, budgets } },
      open: async () => {
        await before;
        const leave = await places.enter(name);
        try {
          removeIdleFile(dataFolder);
          const opened = await openDeployment({
            ...{ deployment: one.deployment, dataFolder: settings.dataFolder, env, bodies, log: named },
            ...{ clock: needs.clock, timers, program: needs.program, url: needs.url(), host: settings.host },
            telemetry: needs.telemetry,
            certificate: needs.config.platform.tls?.cert,
            ...{ store: needs.store, advertise: settings.advertise, processName: cluster?.name },
            ownerThreads: threads,
            isWanted: () => cluster?.isWanted(name) ?? true,
            isLeaving: () => cluster?.isLeaving() === true,
            onLoaded: (changed) => {
              one.deployment = changed;
            },
          });
          adapter = opened;
          own.info({}, "the deployment is open");
          const close = async () => {
            adapter = null;
            try {
              await opened.close();
            } finally {
              leave();
            }
          };
          return { ...opened, close };
        } catch (error) {
          leave();
          throw error;
        }
      },
      onClosed: (isIdle) => {
        if (isIdle && needs.store === undefined) writeIdleFile(dataFolder, one.deployment.fingerprint);
        own.info({}, "the deployment is closed");
      },
    });
    const one: Kept = { ...gate, name, basePath, hosts, deployment, share, adapter: () => adapter };
    return one;
  };

  /** Writes the files by which commands on this machine find a deployment in its data folder, open or not. */
  const announce = ({ deployment: { loaded } }: Kept) => {
    const { settings: own, config } = loaded;
    apiKey({ given: own.apiKey, dataFolder: own.dataFolder });
    writeAdapterFile(own.dataFolder, { url: needs.url() + config.basePath, pid: process.pid });
  };

  /**
   * Opens deployments one after the other, because opening uses a processor core for some time and requests come first.
   */
  const attend = async (some: readonly Kept[]) => {
    for (const one of some) {
      if (closing !== null) return;
      try {
        announce(one);
        if (isDue(one.deployment, needs.store !== undefined)) await one.wake();
      } catch (error) {
        overdue.add(one.name);
        log.error({ deployment: one.name, err: error }, "the deployment could not be opened; it is tried again");
      }
      await new Promise<void>((resolve) => timers.soon(resolve));
    }
  };

  const closeUnusedRegularly = () => {
    const unusedMs = options.sleepAfterMinutes * 60_000;
    cancel = timers.after(Math.min(unusedMs / 4, 60_000), async () => {
      for (const one of kept.values()) await one.closeIfUnused(unusedMs);
      const again = [...kept.values()].filter(({ name }) => overdue.delete(name));
      if (closing === null) closeUnusedRegularly();
      await attend(again);
    });
  };

  const take = (deployments: readonly Deployment[]): { added: Kept[]; changed: Kept[]; removed: Kept[] } => {
    const names = new Set(deployments.map(({ name }) => name));
    const removed = [...kept.values()].filter(({ name }) => !names.has(name));
    for (const { name } of removed) kept.delete(name);
    const added: Kept[] = [];
    const changed: Kept[] = [];
    for (const deployment of deployments) {
      const { name } = deployment;
      const before = kept.get(name);
      if (before !== undefined && isSameAddress(before, deployment)) {
        if (before.deployment.fingerprint !== deployment.fingerprint) changed.push(before);
        before.deployment = deployment;
        continue;
      }
      // Another address needs other routes, so the deployment is closed and opened again under the new address.
      if (before !== undefined) removed.push(before);
      const one = add(deployment, before?.close() ?? Promise.resolve());
      kept.set(name, one);
      added.push(one);
    }
    find = deploymentFinder(kept.values());
    return { added, changed, removed };
  };

  take(await loadDeployments(all(options)));
  /** The open deployments of a PostgreSQL. */
  const shared = () =>
    [...kept.values()].flatMap(({ name, deployment, adapter }) => {
      const roles = adapter()?.roles ?? null;
      return roles === null ? [] : [{ name, roles, isPlaced: staysOpen(deployment.loaded.config) }];
    });
  const moved = moves({ deployments: shared, timers, log });
  const owned = () => shared().filter(({ roles }) => roles.role() === "owner");
  const prepared = preparations({
    passed: timers.passed,
    isDue: (name) => {
      const one = shared().find((other) => other.name === name);
      if (one === undefined || cluster === null || cluster.isLeaving()) return false;
      const owner = one.roles.owner();
      // Its owner has just let it go: threads that are ready now must not end.
      return owner === null || (one.isPlaced && cluster.isWanted(name)) || cluster.isHeir(name, owner);
    },
  });
  if (needs.store !== undefined) {
    cluster = await openCluster({
      ...{ store: needs.store, timers, log, weight: () => options.weight, owned },
      standby: () => {
        const followed = shared().filter(({ roles }) => roles.isCaughtUp());
        const isWarm = ({ name, roles }: (typeof followed)[number]) => roles.isWarm() && prepared.isOffered(name);
        const namesOf = (some: typeof followed) => some.map(({ name }) => name);
        const warm = followed.filter(isWarm);
        return { warm: namesOf(warm), follows: namesOf(followed.filter((one) => !warm.includes(one))) };
      },
      onReport: () => prepared.look(shared()),
      isMoving: prepared.isAnything,
      onSuccessor: moved.toSuccessor,
    });
  }

  return {
    find: (request) => find(request),
    members: () => kept.values(),
    view: () =>
      [...kept.values()].map(({ name, basePath, hosts, share, state, failure, adapter }) => ({
        ...{ name, basePath, state: state(), isOwner: isOwner(adapter()), failure: failure() },
        hosts: hosts ?? null,
        running: share.running(),
        waiting: share.waiting(),
      })),
    begin: () => {
      isBegun = true;
      closeUnusedRegularly();
      void attend([...kept.values()]);
    },
    reload: (next) => {
      const reloading = lastReload.then(() => reload(next));
      // The caller gets the error; the next reload must run nevertheless.
      lastReload = reloading.catch(() => {});
      return reloading;
    },
    leave: async () => {
      if (cluster !== null) await moved.leave(cluster);
    },
    close: () => {
      closing ??= (async () => {
        cancel();
        // Closed first, so that other processes take over as soon as a deployment is released.
        await cluster?.close();
        const closed = await Promise.allSettled([...kept.values()].map((one) => one.close()));
        // What a reload has removed is no longer among them, and must be closed before the threads end.
        await removing;
        await threads?.close();
        for (const { deployment } of kept.values()) removeAdapterFile(deployment.loaded.settings.dataFolder);
        const errors = closed.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
        if (errors.length > 0) throw new AggregateError(errors, "not every deployment could be closed");
      })();
      return closing;
    },
  };

  async function reload(next: DeploymentOptions): Promise<ReloadReport> {
    return await loadInThread(all(next), timers, (read) => putIntoEffect(next, read));
  }

  async function putIntoEffect(
    next: DeploymentOptions,
    { deployments, withPlaces }: ReadDeployments,
  ): Promise<ReloadReport> {
    // Nobody would close what is opened from here on.
    if (closing !== null) return { opened: [], closed: [], needsRestart: [] };
    options = next;
    const { added, changed, removed } = take(deployments);
    const closeRemoved = async () => {
      for (const one of removed) {
        await one.close();
        removeAdapterFile(one.deployment.loaded.settings.dataFolder);
      }
    };
    const closingRemoved = closeRemoved();
    // The caller gets the error.
    removing = closingRemoved.catch(() => {});
    await closingRemoved;
    const reports: ReloadReport[] = [];
    for (const one of changed) {
      try {
        const report = await one.adapter()?.reload(one.deployment.loaded);
        if (report !== undefined) reports.push(report);
      } catch (error) {
        log.error(
          { deployment: one.name, err: await withPlaces(one.name, error) },
          "the new configuration of this deployment is refused; the old one stays in effect",
        );
      }
    }
    if (isBegun) void attend([...added, ...changed]);
    return {
      opened: [...added.map(({ name }) => name), ...reports.flatMap(({ opened }) => opened)],
      closed: [...removed.map(({ name }) => name), ...reports.flatMap(({ closed }) => closed)],
      needsRestart: reports.flatMap(({ needsRestart }) => needsRestart),
    };
  }
}

/** Whether the deployment may have something to do without a request: waiting entries, polls, alarms. */
function isDue({ loaded: { config, settings }, fingerprint }: Deployment, isShared: boolean): boolean {
  // The data folder is no proof if the store is shared: another process may have opened the deployment since.
  if (isShared || databaseFingerprint(settings.dataFolder) === null) return staysOpen(config);
  return !isKnownIdle(settings.dataFolder, fingerprint);
}

const isOwner = (adapter: OpenDeployment | null): boolean | null => (adapter === null ? null : !adapter.isStandby());

const isSameAddress = ({ basePath, hosts }: Member, { loaded: { config } }: Deployment): boolean =>
  basePath === config.basePath && JSON.stringify(hosts) === JSON.stringify(config.hosts);
