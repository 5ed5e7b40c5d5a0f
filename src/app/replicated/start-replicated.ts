import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { JournalDamaged } from "../../journal/journal.ts";
import { inheritedMarks } from "../../journal/sqlite/writer/written-notes.ts";
import { silentLog } from "../../kit/log.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { removeCopy } from "../../replication/copy/open-copy.ts";
import type { Owner } from "../../replication/postgres/change-log.ts";
import { sideStream } from "../../replication/postgres/side-stream.ts";
import { storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { openSideLink } from "../../replication/side/side-link.ts";
import { keepSnapshots } from "../../replication/snapshot/keep-snapshots.ts";
import { openStandby, type Standby, type StandbyView } from "../../replication/standby/standby.ts";
import { type OwnerWatch, watchOwner } from "../../replication/standby/watch-owner.ts";
import { embeddedOptionsOf } from "../../runtime/open-base.ts";
import { embedded } from "../../store/connector.ts";
import { removeAdapterFile, writeAdapterFile } from "../adapter-file.ts";
import { openAdapterLog } from "../log/open-adapter-log.ts";
import { refuseMovedFolder, refuseOwnData } from "../move/move-marks.ts";
import { type RunningAdapter, type StartOptions, start } from "../start.ts";
import { advertisedUrl } from "./advertised-url.ts";
import { passedAnswers } from "./answers/passed-answers.ts";
import { preparedOwner } from "./prepared-owner.ts";
import { sideFiles } from "./side-files.ts";
import { openStandbyListener, type StandbyListener } from "./standby-listener.ts";

/** How long an owner keeps a deployment without renewing its lease; then a standby takes over. */
const leaseMs = 2_000;
const pollMs = 100;
/** The time limit of a statement. A commit is refused after this time at the latest, or when the lease is over. */
const patienceMs = 5_000;
/** How far back answers are reported: as long as an equal event counts as a retry. */
const writtenMs = 15 * 60_000;
/** How long to wait before the store is tried again. */
const retryMs = 1_000;

const pauseMs = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined));

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

/** Another process took the deployment over while this one opened it: nothing is wrong with the configuration. */
class LostWhileStarting extends Error {}

/**
 * Owns the deployment while no other process does, and otherwise follows. It switches between the two until it is
 * closed.
 */
export async function startReplicated(
  options: StartOptions & {
    readonly store: string;
    readonly mayOwn?: (withoutOwnerMs: number) => boolean;
    /** Whether the process is about to stop: it then passes requests on and follows no more. */
    readonly isLeaving?: () => boolean;
    /** The name of the process, if it serves many deployments. */
    readonly processName?: string | undefined;
  },
): Promise<ReplicatedAdapter> {
  const { config, settings, store: url, clock = systemClock, redact } = options;
  const lines = openAdapterLog({ log: options.log ?? silentLog, config, clock, redact });
  const { log } = lines;
  const { deployment } = config;
  if (!URL.canParse(url)) throw storeUnusable(null, url);
  refuseMovedFolder(settings.dataFolder, deployment);
  refuseOwnData(settings.dataFolder);
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  const unique = randomUUID().slice(0, 8);
  const owner =
    options.processName === undefined ? `${hostname()}-${process.pid}-${unique}` : `${options.processName}/${unique}`;
  const copy = {
    databaseFile: join(settings.dataFolder, "crossdock.db"),
    projectionModule: (options.connector ?? embedded).projectionModule,
    projectionOptions: embeddedOptionsOf(config),
  };
  const { promise: closing, resolve: beginClosing } = Promise.withResolvers<null>();
  const { promise: serving, resolve: served } = Promise.withResolvers<Pick<RunningAdapter, "url" | "sample">>();
  let hasServed = false;
  const serve = (first: Pick<RunningAdapter, "url" | "sample">) => {
    hasServed = true;
    served(first);
  };
  let loaded = options;
  let isClosing = false;
  let running: RunningAdapter | null = null;
  let standby: Standby | null = null;
  let secret = "";
  let handOver = () => {};
  /** Whether the listener of a standby is open already while this process hands over. */
  let isListenerOpen = false;
  const isFollowing = () => running === null && standby !== null && isCaughtUp(standby.view());
  /** The listener with requests that waited for an owner while this process became the owner. */
  let leftOver: StandbyListener | null = null;
  let areTablesReady = false;
  /** Knows the next owner while this process hands over. */
  let nextOwner: OwnerWatch | null = null;
  const threads = preparedOwner({ url, deployment, patienceMs, projectionModule: copy.projectionModule });

  const answers = passedAnswers();
  // This process may have been the owner before it was killed. Only this folder knows which answers it had just
  // written.
  answers.inherit(recentlyWritten(copy.databaseFile));

  const notify = (notice: string) => log.warn({ deployment, notice }, "the store reports");

  /** Keeps the port when the role changes, if the system chose a free one. */
  const keepPort = (address: string) => {
    loaded = { ...loaded, settings: { ...loaded.settings, port: Number(new URL(address).port) } };
  };

  /** Follows until this process owns the deployment; null if it was closed before. */
  const follow = async () => {
    const open = () =>
      openStandby({
        ...{ url, deployment, owner, leaseMs, pollMs, copy, notify, mayOwn: options.mayOwn, areTablesReady },
        // A claim without threads would keep the other processes away while nobody serves.
        beforeClaim: threads.prepare,
        sides: { dataFolder: settings.dataFolder, files: sideFiles },
        timeoutMs: patienceMs,
        timers: systemTimers,
      });
    // It is open already if this process has handed over.
    let listener = isListenerOpen ? leftOver : null;
    isListenerOpen = false;
    const openListener = async () => {
      listener ??= await openStandbyListener(listenerNeeds());
      keepPort(listener.url);
      if (options.mount === undefined) writeAdapterFile(settings.dataFolder, { url: listener.url, pid: process.pid });
      serve({ url: listener.url, sample: null });
    };
    try {
      if (hasServed) await openListener();
      if (options.isLeaving?.() === true) return await closing;
      // A problem at the first start is reported to the person who starts the adapter; later, PostgreSQL is tried again
      // until it is back.
      standby = hasServed ? await opened(open) : await open();
      if (standby === null) return null;
      // The adapter was closed while the standby was being opened.
      if (isClosing) await standby.stop();
      ({ secret } = standby);
      areTablesReady = true;
      const first = await ownedAtOnce(standby);
      nextOwner?.stop();
      nextOwner = null;
      if (first !== undefined) return first;
      await openListener();
      // A process with one deployment can always be ready. One with hundreds would have hundreds of threads.
      if (options.mount === undefined)
        threads.prepare().catch(() => {
          // Tried again when this process takes over.
        });
      // Loaded now, so that it need not be loaded when the owner fails.
      await import("../../server/server.ts");
      log.info({ deployment, owner: standby.view().owner }, "this process is a standby");
      return await standby.owned;
    } finally {
      // `listener` is assigned in a function that the compiler does not analyse.
      leftOver = listener as StandbyListener | null;
      if (leftOver !== null && options.mount === undefined) removeAdapterFile(settings.dataFolder);
      if (isClosing) await leftOver?.end();
    }
  };

  const listenerNeeds = () => ({
    ...loaded.settings,
    ...{ config, secret: () => secret, answers, log: log ?? silentLog, mount: options.mount, view: viewOfOwner },
  });

  /** What a request that this process does not serve itself has to know. */
  const viewOfOwner = (): StandbyView => {
    const followed = standby?.view() ?? unreached;
    // Once this process serves itself, what still waits here is for it.
    if (running !== null && !isListenerOpen) return { ...followed, owner, ownerUrl: running.url };
    const view = followed.ownerUrl === null ? { ...followed, ...nextOwner?.view() } : followed;
    // Until it has released the deployment, PostgreSQL names this process.
    return view.owner === owner ? { ...view, owner: null, ownerUrl: null } : view;
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

  /** Tries until the standby is open; null if the adapter was closed before. */
  const opened = async (open: () => Promise<Standby>): Promise<Standby | null> => {
    while (!isClosing) {
      try {
        return await open();
      } catch (error) {
        log.warn({ deployment, err: error }, "the store cannot be used; it is tried again");
        await Promise.race([pauseMs(retryMs), closing]);
      }
    }
    return null;
  };

  const snapshotOf = (name: string, owner: Owner) => ({
    ...{ url, owner, timeoutMs: 10 * patienceMs, copyFile: join(settings.dataFolder, `${name}.snapshot`) },
    historyMs: config.storeHistoryDays * 86_400_000,
    stored: async () => {
      // Nothing to wait for: PostgreSQL has each commit before this file does.
    },
  });

  const own = async (owned: NonNullable<Awaited<Standby["owned"]>>) => {
    // What the standby knew about the previous owner no longer counts.
    standby = null;
    const { link: prepared, writer } = await threads.take();
    const link = await prepared.begin(owned);
    const { promise: sidesLost, resolve: onLost } = Promise.withResolvers<string>();
    const sides = openSideLink({
      ...{ url, owner: owned, dataFolder: settings.dataFolder, timers: systemTimers, onLost },
      timeoutMs: patienceMs,
    });
    const snapshotted = [
      { ...snapshotOf("crossdock.db", owned), freeze: () => openDatabase(copy.databaseFile, { readOnly: true }) },
      ...sideFiles.map(({ name }) => ({
        ...snapshotOf(name, { ...owned, deployment: sideStream(deployment, name) }),
        freeze: () => sides.freeze(name),
        stored: sides.stored,
      })),
    ];
    const stopSnapshots = keepSnapshots(snapshotted, {
      store: { url, deployment, timeoutMs: patienceMs },
      ...{ timers: systemTimers, notify },
    });
    let lost: string | null = null;
    /** Whether every mark of an answer is in PostgreSQL. */
    let isComplete = false;
    const answered = answers.takeAll();
    const losing = Promise.race([link.lost, sidesLost]);
    try {
      const { replica } = link;
      const owns = { deployment, epoch: owned.epoch };
      const { isOurs } = link;
      const onClosing = async () => {
        if (lost === null) await sides.complete();
      };
      /** The next owner can begin while the files here are closed. */
      const onComplete = async () => {
        if (lost === null) await link.release();
      };
      const replicated = {
        journal: { ...replica, onClosing, onComplete },
        thread: writer,
        sides,
        isOurs,
        isFirstStart: owned.isNew,
        owns,
        secret,
        answered,
      };
      // Until this process listens, requests wait at the standby's listener: a closed port would refuse them.
      running = await start({ ...loaded, replica: replicated, beforeListen: () => leftOver?.close() }).catch(
        async (error: unknown) => {
          lost = (await Promise.race([losing, pauseMs(0)])) ?? null;
          throw lost === null ? error : new LostWhileStarting(lost, { cause: error });
        },
      );
      keepPort(running.url);
      link.publish(advertisedUrl(running.url, loaded.settings.advertise), copy.projectionOptions);
      log.info({ deployment, epoch: owned.epoch }, "this process owns the deployment");
      serve(running);
      const { promise: handedOver, resolve } = Promise.withResolvers<null>();
      handOver = () => resolve(null);
      lost = await Promise.race([losing, closing, handedOver]);
      isComplete = lost === null;
      if (lost !== null)
        log.error({ deployment, reason: lost }, "the deployment is lost; this process becomes a standby");
    } finally {
      await leftOver?.end();
      // Requests that come from now on are passed on as soon as there is a next owner.
      if (lost === null && !isClosing && options.mount !== undefined) {
        isListenerOpen = true;
        nextOwner?.stop();
        nextOwner = watchOwner({ url, deployment, pollMs, timeoutMs: patienceMs, timers: systemTimers });
        leftOver = await openStandbyListener(listenerNeeds());
      }
      await running?.close();
      running = null;
      // The next owner has to be told: otherwise an equal second piece would count as a retry, and be missing.
      if (!isComplete) answers.inherit([...answered, ...recentlyWritten(copy.databaseFile)]);
      // Released before, unless the adapter could not be opened or closed.
      await link.release();
      // The writer's thread has ended, unless the adapter failed before it opened the journal.
      await Promise.all([sides.close(), link.end(), writer.discard()]);
      // Done after the release, so that a standby does not wait for a snapshot that is still being stored.
      await stopSnapshots();
    }
  };

  const cycle = async () => {
    while (!isClosing) {
      try {
        const owned = await follow();
        if (owned === null) return;
        await own(owned);
      } catch (error) {
        // The next listener needs the port.
        await leftOver?.end();
        if (error instanceof JournalDamaged) {
          // PostgreSQL has everything, so a damaged copy is no loss.
          log.warn({ deployment, damages: error.damages }, "the local copy is damaged and is replaced");
          removeCopy(copy.databaseFile);
        } else if (hasServed || error instanceof LostWhileStarting) {
          log.error({ deployment, err: error }, "this process could not serve the deployment; it becomes a standby");
          await Promise.race([pauseMs(retryMs), closing]);
        } else throw error;
      }
    }
  };
  const ended = cycle().finally(async () => {
    nextOwner?.stop();
    await threads.discard();
  });
  const failed = ended.then(() => new Promise<never>(() => {}));
  // The caller gets the error by `failed` or by the first promise, whichever comes first.
  failed.catch(() => {});
  const first = await Promise.race([serving, failed]);
  return {
    url: first.url,
    sample: first.sample,
    role: () => (running === null ? "standby" : "owner"),
    isCaughtUp: () => isFollowing(),
    isWarm: () => isFollowing() && threads.isPrepared(),
    owner: () => viewOfOwner().owner,
    hasOwner: () => viewOfOwner().ownerUrl !== null,
    prepare: () => {
      threads.prepare().catch(() => {
        // Tried again when this process takes over.
      });
    },
    discard: () => void threads.discard(),
    handOver: () => handOver(),
    reload: async (next) => {
      const report = await running?.reload(next);
      lines.learn(next.config, next.redact);
      const { port } = loaded.settings;
      loaded = { ...loaded, ...next, settings: { ...loaded.settings, ...next.settings, port } };
      return report ?? { opened: [], closed: [], needsRestart: [] };
    },
    close: async () => {
      isClosing = true;
      beginClosing(null);
      await standby?.stop();
      await ended.catch(() => {
        // `failed` has already reported the error.
      });
    },
    failed,
  };
}

/** What is known before PostgreSQL is reached. */
const unreached: StandbyView = {
  ...{ behind: 0, owner: null, ownerUrl: null, position: null, differs: [] },
  trouble: "PostgreSQL is not reached",
};

const recentlyWritten = (databaseFile: string): number[] =>
  inheritedMarks(databaseFile)
    .filter(([, at]) => Date.now() - at < writtenMs)
    .map(([seq]) => seq);

const isCaughtUp = ({ behind, position, trouble }: StandbyView) =>
  behind === 0 && position !== null && trouble === null;
