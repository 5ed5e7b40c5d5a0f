import type { Config } from "../../../config/config-schema.ts";
import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { moves } from "../cluster/moves.ts";
import { type Cluster, openCluster } from "../cluster/open-cluster.ts";
import { preparations } from "../cluster/preparations.ts";
import { type MissingHandler, passOnMissing } from "../missing/pass-on-missing.ts";
import { type MissingWatch, watchMissing } from "../missing/watch-missing.ts";
import { staysOpen } from "../open-deployment.ts";
import type { KeptMember } from "./open-member.ts";

export interface JoinNeeds {
  readonly members: () => Iterable<KeptMember>;
  /** Whether this process has a configuration of the deployment. */
  readonly isConfigured: (deployment: string) => boolean;
  readonly store: string;
  readonly weight: () => number;
  readonly config: Pick<Config, "budgets" | "platform" | "timeZone">;
  /** The address at which other processes reach this one; null while it does not listen yet. */
  readonly url: () => string | null;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Log;
}

export interface JoinedCluster {
  readonly cluster: Cluster;
  /** Deployments that only other processes have a configuration of. */
  readonly missing: Pick<MissingWatch, "served"> & MissingHandler;
  /** Gives everything away that other processes can own, while this one still serves. */
  readonly leave: () => Promise<void>;
}

/** Makes the process one of those that serve the same deployments. */
export async function joinCluster(needs: JoinNeeds): Promise<JoinedCluster> {
  const { members, store, weight, timers, log } = needs;
  let cluster: Cluster | null = null;
  let missing: MissingWatch | null = null;
  /** The open deployments of a PostgreSQL. */
  const shared = () =>
    [...members()].flatMap(({ name, deployment, adapter }) => {
      const roles = adapter()?.roles ?? null;
      const isPlaced = staysOpen(deployment.loaded.config) || cluster?.isTaken(name) === true;
      return roles === null ? [] : [{ name, roles, isPlaced }];
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
  const joined = await openCluster({
    ...{ store, timers, clock: needs.clock, log, weight, owned },
    standby: () => {
      const followed = shared().filter(({ roles }) => roles.isCaughtUp());
      const isWarm = ({ name, roles }: (typeof followed)[number]) => roles.isWarm() && prepared.isOffered(name);
      const namesOf = (some: typeof followed) => some.map(({ name }) => name);
      const warm = followed.filter(isWarm);
      return { warm: namesOf(warm), follows: namesOf(followed.filter((one) => !warm.includes(one))) };
    },
    about: () => ({
      url: needs.url(),
      lacks: missing?.known().map(({ name }) => name) ?? [],
      hosts: [...members()].flatMap(({ name, hosts, adapter }) =>
        hosts === undefined || adapter()?.roles?.role() !== "owner" ? [] : [{ name, hosts }],
      ),
    }),
    isOpen: (name) => shared().some((one) => one.name === name),
    onReport: () => prepared.look(shared()),
    isMoving: prepared.isAnything,
    onSuccessor: moved.toSuccessor,
  });
  cluster = joined;
  const watch = watchMissing({ isConfigured: needs.isConfigured, look: joined.served, timers, log });
  missing = watch;
  const { secret, otherProcess } = joined;
  const passing = passOnMissing({ watch, config: needs.config, secret, otherProcess });
  return {
    cluster: joined,
    missing: { served: watch.served, ...passing },
    leave: () => moved.leave(joined),
  };
}
