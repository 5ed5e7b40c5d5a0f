import { mkdirSync } from "node:fs";
import { JournalDamaged } from "../../journal/journal.ts";
import { silentLog } from "../../kit/log.ts";
import { keepTicksFast } from "../../kit/threads/keep-ticks-fast.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { removeCopy } from "../../replication/copy/open-copy.ts";
import { storeUnusable } from "../../replication/postgres/store-unusable.ts";
import type { StandbyView } from "../../replication/standby/standby.ts";
import { type OwnerWatch, watchOwner } from "../../replication/standby/watch-owner.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import { ownMount } from "../listener/own-mount.ts";
import { openAdapterLog } from "../log/open-adapter-log.ts";
import { refuseMovedFolder, refuseOwnData } from "../move/move-marks.ts";
import type { Reloaded, RunningAdapter, StartOptions } from "../start.ts";
import { comparedSettings } from "./compared-settings.ts";
import { standbyHandler } from "./passing/standby-handler.ts";
import { followDeployment } from "./roles/follow-deployment.ts";
import { LostWhileStarting, ownDeployment } from "./roles/own-deployment.ts";
import { type OwnerThreads, oneOwner, ownerThreads } from "./roles/owner-threads.ts";
import { patienceMs, pauseMs, pollMs, retryMs, sharedDeployment } from "./roles/shared-deployment.ts";

export interface ReplicatedAdapter extends OwnerRoles {
  /** The address at which this process serves, as owner or by passing requests on. */
  readonly url: string;
  /** What the sample warehouse loaded in this start; null if it was not loaded. */
  readonly sample: RunningAdapter["sample"];
  readonly reload: RunningAdapter["reload"];
  readonly close: () => Promise<void>;
  /** Settles with an error if this process cannot continue. */
  readonly failed: Promise<never>;
}

/** Who owns a deployment, and who could. */
export interface OwnerRoles {
  readonly role: () => "owner" | "standby";
  /** Whether this process follows and has every change. */
  readonly isCaughtUp: () => boolean;
  /** Whether this process follows, has every change and has its threads ready, so that it could take over at once. */
  readonly isWarm: () => boolean;
  /** The name of the process that owns the deployment; null if none is known. */
  readonly owner: () => string | null;
  /** Whether this or another process serves the deployment. */
  readonly hasOwner: () => boolean;
  /** Starts the threads that an owner needs, because this process may take over soon. */
  readonly prepare: () => void;
  /** Ends them, if this process does not take over. */
  readonly discard: () => void;
  /**
   * Gives the deployment to another process and then follows that one; does nothing if this process does not own it.
   */
  readonly handOver: () => void;
}

/**
 * Owns the deployment while no other process does, and otherwise follows. It switches between the two until it is
 * closed, behind a listener that stays open: only the handler of its requests is exchanged.
 */
export async function startReplicated(
  options: StartOptions & {
    readonly store: string;
    readonly mayOwn?: (withoutOwnerMs: number) => boolean;
    /** Whether the process is about to stop: it then passes requests on and follows no more. */
    readonly isLeaving?: () => boolean;
    /** The name of the process, if it serves many deployments. */
    readonly processName?: string | undefined;
    /** The threads of a process that serves many deployments; absent: this one has its own. */
    readonly ownerThreads?: OwnerThreads | undefined;
  },
): Promise<ReplicatedAdapter> {
  // Before it waits for the lease: ticks that are slow by then stay slow.
  keepTicksFast();
  const { config, settings, store: url, clock = systemClock, redact } = options;
  const lines = openAdapterLog({ log: options.log ?? silentLog, config, clock, redact });
  const { log } = lines;
  const { deployment } = config;
  const timers = systemTimers;
  if (!URL.canParse(url)) throw storeUnusable(null, url);
  refuseFolders(settings.dataFolder);
  refuseMovedFolder(settings.dataFolder, deployment);
  refuseOwnData(settings.dataFolder);
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  const ownListener = () => {
    const listener = ownMount({ config, settings, clock, timers, log });
    return { listener, mount: listener.mount };
  };
  const { listener, mount } = options.mount === undefined ? ownListener() : { listener: null, mount: options.mount };
  const { promise: closing, resolve: beginClosing } = Promise.withResolvers<null>();
  const { promise: serving, resolve: served } = Promise.withResolvers<Pick<RunningAdapter, "url" | "sample">>();
  let hasServed = false;
  const serve = (first: Pick<RunningAdapter, "url" | "sample">) => {
    hasServed = true;
    served(first);
  };
  let loaded: StartOptions = options;
  let compared = comparedSettings(config, redact);
  /** The next time that this process owns the deployment, it begins with this configuration. */
  const take = (next: Reloaded) => {
    lines.learn(next.config, next.redact);
    lines.configure(next.config);
    loaded = { ...loaded, ...next, settings: { ...loaded.settings, ...next.settings } };
    compared = comparedSettings(next.config, next.redact);
    owning.publish();
    listener?.reloadCertificates(next.config.platform.tls);
    options.onReloaded?.(next);
  };
  let isClosing = false;
  const common =
    options.ownerThreads ?? ownerThreads({ url, name: `crossdock ${deployment}`, patienceMs, pollMs, ...oneOwner });
  const shared = sharedDeployment({
    ...options,
    ownerThreads: common,
    comparedSettings: () => compared,
    mount,
    log,
    closing,
    isClosing: () => isClosing,
  });
  const { threads, answers, owner } = shared;
  /** Knows the next owner while this process hands over. */
  let nextOwner: OwnerWatch | null = null;
  const forgetNextOwner = () => {
    nextOwner?.stop();
    nextOwner = null;
  };

  /** What a request that this process does not serve itself has to know. */
  const viewOfOwner = (): StandbyView => {
    const followed = following.view();
    const running = owning.running();
    // Once this process serves itself, what still waits here is for it.
    if (running !== null && nextOwner === null) return { ...followed, owner, ownerUrl: running.url };
    const view = followed.ownerUrl === null ? { ...followed, ...nextOwner?.view() } : followed;
    // Until it has released the deployment, PostgreSQL names this process.
    return view.owner === owner ? { ...view, owner: null, ownerUrl: null } : view;
  };
  const passing = standbyHandler({ config, mount, answers, view: viewOfOwner, secret: () => following.secret() });
  const passOn = async () => {
    mount.serve(passing.handle);
    serve({ url: await mount.listening(), sample: null });
  };
  const following = followDeployment(shared, {
    mayOwn: options.mayOwn,
    isFirst: () => !hasServed,
    onStandby: passOn,
    onKnown: forgetNextOwner,
  });
  const owning = ownDeployment(shared, {
    // The console changes the configuration as well, in the process that owns the deployment.
    options: () => ({ ...loaded, onReloaded: take }),
    secret: following.secret,
    onServing: serve,
    onLeaving: () => {
      forgetNextOwner();
      nextOwner = watchOwner(common.watch, deployment);
      mount.serve(passing.handle);
    },
  });

  /**
   * Waits, in a process that is about to stop, until requests here have no owner: another process opens a deployment only
   * when it is asked for it, and those callers have asked this one. False if it was closed before.
   */
  const neededAgain = async (): Promise<boolean> => {
    while (!isClosing) {
      if (passing.waiting() > 0 && viewOfOwner().ownerUrl === null) return true;
      await Promise.race([pauseMs(pollMs), closing]);
    }
    return false;
  };

  /** Follows until this process owns the deployment; null if it was closed before. */
  const follow = async () => {
    if (hasServed) await passOn();
    const isNeeded = options.isLeaving?.() !== true || !hasServed || (await neededAgain());
    return isNeeded ? await following.follow() : null;
  };
  const cycle = async () => {
    while (!isClosing) {
      try {
        const owned = await follow();
        if (owned === null) return;
        await owning.own(owned);
      } catch (error) {
        if (error instanceof JournalDamaged) {
          // PostgreSQL has everything, so a damaged copy is no loss.
          log.warn({ deployment, damages: error.damages }, "the local copy is damaged and is replaced");
          removeCopy(shared.copy.databaseFile);
        } else if (hasServed || error instanceof LostWhileStarting) {
          log.error({ deployment, err: error }, "this process could not serve the deployment; it becomes a standby");
          await Promise.race([pauseMs(retryMs), closing]);
        } else throw error;
      }
    }
  };
  const ended = cycle()
    .catch(async (error: unknown) => {
      // Nobody would answer there any more.
      await listener?.close(async () => {});
      throw error;
    })
    .finally(async () => {
      forgetNextOwner();
      passing.end();
      await threads.discard();
      if (options.ownerThreads === undefined) await common.close();
    });
  const failed = ended.then(() => new Promise<never>(() => {}));
  // The caller gets the error by `failed` or by the first promise, whichever comes first.
  failed.catch(() => {});
  const first = await Promise.race([serving, failed]);
  const isCaughtUp = () => owning.running() === null && following.isCaughtUp();
  return {
    url: first.url,
    sample: first.sample,
    role: () => (owning.running() === null ? "standby" : "owner"),
    isCaughtUp,
    isWarm: () => isCaughtUp() && threads.isPrepared(),
    owner: () => viewOfOwner().owner,
    hasOwner: () => viewOfOwner().ownerUrl !== null,
    prepare: () => {
      threads.prepare().catch(() => {
        // Tried again when this process takes over.
      });
    },
    discard: () => void threads.discard(),
    handOver: owning.handOver,
    reload: async (next) => {
      const running = owning.running();
      if (running !== null) return await running.reload(next);
      take(next);
      return { opened: [], closed: [], needsRestart: [] };
    },
    close: async () => {
      // Not before the listener has stopped: until then requests come, and somebody has to answer them.
      const end = async () => {
        isClosing = true;
        beginClosing(null);
        await following.stop();
        await ended.catch(() => {
          // `failed` has already reported the error.
        });
      };
      await (listener === null ? end() : listener.close(end));
    },
    failed,
  };
}
