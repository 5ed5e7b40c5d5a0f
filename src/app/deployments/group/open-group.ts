import { refusalFields } from "../../../config/document/config-error.ts";
import type { DeploymentOptions } from "../../../config/sections/deployment-options.ts";
import type { ReloadReport } from "../../../runtime/reload.ts";
import { inputReader } from "../../../server/contract/read-input.ts";
import { removeAdapterFile } from "../../adapter-file.ts";
import { advertisedUrl } from "../../replicated/roles/advertised-url.ts";
import { manyOwners, ownerThreads } from "../../replicated/roles/owner-threads.ts";
import { patienceMs, pollMs } from "../../replicated/roles/shared-deployment.ts";
import { deploymentFinder } from "../find-deployment.ts";
import { fairShares } from "../gate/fair-shares.ts";
import { openPlaces } from "../gate/open-places.ts";
import { type Deployment, type DeploymentsNeeds, environmentFor, loadDeployments } from "../load-deployments.ts";
import { loadInThread, type ReadDeployments } from "../load-in-thread.ts";
import type { OpenDeployment } from "../open-deployment.ts";
import { attendMembers } from "./attend-members.ts";
import type { Group, GroupNeeds, Member } from "./group.ts";
import { type JoinedCluster, joinCluster } from "./join-cluster.ts";
import { type KeptMember, openMember } from "./open-member.ts";
import { takeOver } from "./take-over.ts";

/** Limit of requests that run at the same time, for all deployments together. */
const mostAtOnce = 128;

/** Loads all deployments of the folder and keeps a gate for each of them. */
export async function openGroup(needs: GroupNeeds): Promise<Group> {
  const { settings, timers, log } = needs;
  const all = ({ folder }: DeploymentOptions): DeploymentsNeeds => {
    const { source, env: variables, cwd, store } = needs;
    return { source, folder, dataFolder: settings.dataFolder, env: variables, cwd, isShared: store !== undefined };
  };
  let options = needs.config.deployments;
  const shares = fairShares({ mostAtOnce });
  const kept = new Map<string, KeptMember>();
  const places = openPlaces({ most: () => options.mostOpen, open: () => [...kept.values()], timers });
  const threads =
    needs.store === undefined
      ? undefined
      : ownerThreads({ url: needs.store, name: "crossdock owner", patienceMs, pollMs, ...manyOwners });
  let find = deploymentFinder<KeptMember>([]);
  let joined: JoinedCluster | null = null;
  let stopLooking: (() => void) | null = null;
  let lastReload: Promise<unknown> = Promise.resolve();
  /** Settles when the deployments that the last reload has removed are closed. */
  let removing: Promise<void> = Promise.resolve();
  let closing: Promise<void> | null = null;

  const members = () => kept.values();
  const memberNeeds = {
    ...{ ...needs, env: environmentFor(needs), shares, places, threads, reader: inputReader() },
    cluster: () => joined?.cluster ?? null,
  };
  const attending = attendMembers({
    ...{ members, timers, url: needs.url, isShared: needs.store !== undefined },
    options: () => options,
    isClosing: () => closing !== null,
  });

  const take = (
    deployments: readonly Deployment[],
  ): { added: KeptMember[]; changed: KeptMember[]; removed: KeptMember[] } => {
    const names = new Set(deployments.map(({ name }) => name));
    const removed = [...kept.values()].filter(({ name }) => !names.has(name));
    for (const { name } of removed) kept.delete(name);
    const added: KeptMember[] = [];
    const changed: KeptMember[] = [];
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
      const one = openMember(memberNeeds, deployment, before?.close() ?? Promise.resolve());
      kept.set(name, one);
      added.push(one);
    }
    find = deploymentFinder(kept.values());
    return { added, changed, removed };
  };

  take(await loadDeployments(all(options)));
  if (needs.store !== undefined) {
    const { store, config, url } = needs;
    joined = await joinCluster({
      isConfigured: (name) => kept.has(name),
      ...{ members, store, config, weight: () => options.weight, timers, clock: needs.clock, log },
      url: () => (url() === "" ? null : advertisedUrl(url(), settings.advertise)),
    });
  }

  return {
    find: (request) => find(request),
    members,
    view: () =>
      [...kept.values()].map(({ name, basePath, hosts, share, state, failure, adapter }) => ({
        ...{ name, basePath, state: state(), isOwner: isOwner(adapter()), failure: failure() },
        isMovedByHand: joined?.cluster.isTaken(name) ?? false,
        hosts: hosts ?? null,
        running: share.running(),
        waiting: share.waiting(),
      })),
    begin: () => {
      stopLooking = attending.begin();
      void attending.attend([...kept.values()]);
    },
    reload: (next) => {
      const reloading = lastReload.then(() => reload(next));
      // The caller gets the error; the next reload must run nevertheless.
      lastReload = reloading.catch(() => {});
      return reloading;
    },
    takeOver: (name) => takeOver(name, { members: kept, cluster: joined?.cluster ?? null, timers, log }),
    missing: () => joined?.missing ?? null,
    storeTrouble: () => joined?.cluster.trouble() ?? null,
    leave: async () => {
      await joined?.leave();
    },
    close: () => {
      closing ??= (async () => {
        stopLooking?.();
        joined?.missing.close();
        // Closed first, so that other processes take over as soon as a deployment is released.
        await joined?.cluster.close();
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
        one.log.error(
          refusalFields(await withPlaces(one.name, error)),
          "the new configuration of this deployment is refused; the old one stays in effect",
        );
      }
    }
    if (stopLooking !== null) void attending.attend([...added, ...changed]);
    return {
      opened: [...added.map(({ name }) => name), ...reports.flatMap(({ opened }) => opened)],
      closed: [...removed.map(({ name }) => name), ...reports.flatMap(({ closed }) => closed)],
      needsRestart: reports.flatMap(({ needsRestart }) => needsRestart),
    };
  }
}

const isOwner = (adapter: OpenDeployment | null): boolean | null => (adapter === null ? null : !adapter.isStandby());

const isSameAddress = ({ basePath, hosts }: Member, { loaded: { config } }: Deployment): boolean =>
  basePath === config.basePath && JSON.stringify(hosts) === JSON.stringify(config.hosts);
