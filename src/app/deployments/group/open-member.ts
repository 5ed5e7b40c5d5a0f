import type { Environment } from "../../../config/settings.ts";
import { newReference } from "../../../kit/ids.ts";
import type { Log } from "../../../kit/log.ts";
import { bodyBudget, shareOf } from "../../../server/connection/body-budget.ts";
import type { InputReader } from "../../../server/contract/read-input.ts";
import type { OwnerThreads } from "../../replicated/roles/owner-threads.ts";
import type { Cluster } from "../cluster/open-cluster.ts";
import { deploymentLog, gateLog } from "../deployment-log.ts";
import type { Share } from "../gate/fair-shares.ts";
import { openGate } from "../gate/open-gate.ts";
import type { Places } from "../gate/open-places.ts";
import { removeIdleFile, writeIdleFile } from "../idle-file.ts";
import type { Deployment } from "../load-deployments.ts";
import { type OpenDeployment, openDeployment } from "../open-deployment.ts";
import type { GroupNeeds, Member } from "./group.ts";

/** A deployment of the process with its configuration. */
export interface KeptMember extends Member {
  deployment: Deployment;
  readonly share: Share;
  readonly adapter: () => OpenDeployment | null;
  /** Masks the secrets of this deployment and names it in each line. */
  readonly log: Log;
}

export interface MemberNeeds extends Omit<GroupNeeds, "env"> {
  /** The variables that deployments may use. */
  readonly env: Environment;
  readonly shares: { readonly open: () => Share };
  readonly places: Places;
  readonly reader: InputReader;
  /** The threads of deployments in PostgreSQL; absent: the data folder is the store. */
  readonly threads: OwnerThreads | undefined;
  readonly cluster: () => Cluster | null;
}

const ownBodiesBytes = 128 * 2 ** 20;

/**
 * Adds a deployment, which is opened when it is needed. Its predecessor may still be open on the same data folder under
 * an earlier address, so its end is awaited.
 */
export function openMember(needs: MemberNeeds, deployment: Deployment, before: Promise<void>): KeptMember {
  const { settings, env, timers, shares, places, threads, cluster } = needs;
  const { name, loaded } = deployment;
  const { basePath, hosts, budgets, timeZone } = loaded.config;
  const { dataFolder } = loaded.settings;
  const named = deploymentLog(needs.allLines, name);
  const own = gateLog(named, () => one.deployment.loaded, needs.clock);
  const bodies = shareOf(needs.common, bodyBudget({ maxBytes: ownBodiesBytes, now: () => performance.now() }));
  const share = shares.open();
  let adapter: OpenDeployment | null = null;
  const gate = openGate({
    ...{ share, timers, clock: needs.clock, log: own, newReference, address: { basePath, budgets, timeZone } },
    open: async () => {
      await before;
      const leave = await places.enter(name);
      try {
        removeIdleFile(dataFolder);
        const opened = await openDeployment({
          ...{ deployment: one.deployment, dataFolder: settings.dataFolder, env, bodies, log: named, maskedLog: own },
          reader: needs.reader,
          ...{ clock: needs.clock, timers, program: needs.program, url: needs.url(), host: settings.host },
          telemetry: needs.telemetry,
          certificate: needs.config.platform.tls?.cert,
          ...{ store: needs.store, advertise: settings.advertise, processName: cluster()?.name },
          ownerThreads: threads,
          isWanted: () => cluster()?.isWanted(name) ?? true,
          isTaken: () => cluster()?.isTaken(name) ?? false,
          isLeaving: () => cluster()?.isLeaving() === true,
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
  const one: KeptMember = { ...gate, name, basePath, hosts, deployment, share, adapter: () => adapter, log: own };
  return one;
}
