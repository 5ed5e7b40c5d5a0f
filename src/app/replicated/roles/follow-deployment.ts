import { systemClock } from "../../../kit/time/clock.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import {
  openStandby,
  type Standby,
  type StandbyNeeds,
  type StandbyView,
} from "../../../replication/standby/standby.ts";
import { sideFiles } from "../side-files.ts";
import { leaseMs, patienceMs, pauseMs, pollMs, retryMs, type SharedDeployment } from "./shared-deployment.ts";

/** The deployment that this process owns now. */
export type Owned = NonNullable<Awaited<Standby["owned"]>>;

/** A process that follows the owner of a deployment. */
export interface Following {
  /** What is known of the owner and of the copy here; says so if PostgreSQL is not reached. */
  readonly view: () => StandbyView;
  /** Whether this process follows and has every change. */
  readonly isCaughtUp: () => boolean;
  /** The secret of all processes of this PostgreSQL; empty before it is reached. */
  readonly secret: () => string;
  /** Follows until this process owns the deployment; null if it was closed before. */
  readonly follow: () => Promise<Owned | null>;
  readonly stop: () => Promise<void>;
}

export interface FollowingNeeds extends Pick<StandbyNeeds, "mayOwn"> {
  /** Whether a problem with PostgreSQL is reported to the person who starts the adapter, instead of tried again. */
  readonly isFirst: () => boolean;
  /** Called when another process owns the deployment, so that requests have to be passed on to it. */
  readonly onStandby: () => Promise<void>;
  /** Called when it is known who owns the deployment, or that nobody does. */
  readonly onKnown: () => void;
}

export function followDeployment(shared: SharedDeployment, needs: FollowingNeeds): Following {
  const { store: url, deployment, owner, copy, threads, mount, log, notify, isClosing, closing } = shared;
  let standby: Standby | null = null;
  let secret = "";
  let { areTablesReady } = shared;
  let unreached = unknown;

  const open = () =>
    openStandby({
      ...{ url, deployment, owner, leaseMs, pollMs, copy, notify, mayOwn: needs.mayOwn, areTablesReady },
      settings: shared.settings,
      // A claim without threads would keep the other processes away while nobody serves.
      beforeClaim: threads.prepare,
      sides: { dataFolder: shared.dataFolder, files: sideFiles },
      ...{ watch: shared.watch, timeoutMs: patienceMs },
      timers: systemTimers,
    });

  /** Tries until the standby is open; null if the adapter was closed before. */
  const opened = async (): Promise<Standby | null> => {
    while (!isClosing()) {
      try {
        const one = await open();
        unreached = unknown;
        return one;
      } catch (error) {
        const trouble = error instanceof Error ? error.message : String(error);
        const isNews = trouble !== unreached.trouble;
        unreached = { ...unknown, trouble, troubleSince: unreached.troubleSince ?? systemClock.now() };
        // Logged each second, an outage of an hour would drown everything else.
        if (isNews) log.warn({ deployment, err: error }, "the store cannot be used; it is tried again");
        await Promise.race([pauseMs(retryMs), closing]);
      }
    }
    return null;
  };

  /**
   * Waits a little for a deployment that nobody owns: this process owns it soon, and until then there is no owner to
   * pass requests on to.
   */
  const ownedAtOnce = async ({ owned, view }: Standby) => {
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
      const first = await Promise.race([owned, pauseMs(pollMs)]);
      if (first !== undefined) return first;
      if (view().owner !== null || view().trouble !== null) break;
    }
    return undefined;
  };

  const followOpened = async (one: Standby) => {
    // The adapter was closed while the standby was being opened.
    if (isClosing()) await one.stop();
    ({ secret } = one);
    areTablesReady = true;
    const first = await ownedAtOnce(one);
    needs.onKnown();
    if (first !== undefined) return first;
    await needs.onStandby();
    // A process with one deployment can always be ready. One with hundreds would have hundreds of threads.
    if (mount.name === undefined)
      threads.prepare().catch(() => {
        // Tried again when this process takes over.
      });
    // Loaded now, so that it need not be loaded when the owner fails.
    await import("../../../server/server.ts");
    log.info({ deployment, owner: one.view().owner }, "this process is a standby");
    return await one.owned;
  };

  return {
    view: () => standby?.view() ?? unreached,
    isCaughtUp: () => standby !== null && hasEveryChange(standby.view()),
    secret: () => secret,
    follow: async () => {
      standby = needs.isFirst() ? await open() : await opened();
      if (standby === null) return null;
      const owned = await followOpened(standby);
      // What the standby knew about the previous owner no longer counts.
      standby = null;
      return owned;
    },
    stop: async () => {
      await standby?.stop();
    },
  };
}

/** What is known before PostgreSQL was asked. */
const unknown: StandbyView = {
  ...{ behind: 0, owner: null, ownerUrl: null, position: null, differs: [] },
  ...{ trouble: "PostgreSQL is not reached", troubleSince: null },
};

const hasEveryChange = ({ behind, position, trouble }: StandbyView) =>
  behind === 0 && position !== null && trouble === null;
