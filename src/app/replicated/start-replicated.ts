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
import { openLink } from "../../replication/link/open-link.ts";
import type { Owner } from "../../replication/postgres/change-log.ts";
import { sideStream } from "../../replication/postgres/side-stream.ts";
import { storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { openSideLink } from "../../replication/side/side-link.ts";
import { keepSnapshots } from "../../replication/snapshot/keep-snapshots.ts";
import { openStandby, type Standby, type StandbyView } from "../../replication/standby/standby.ts";
import { embeddedOptionsOf } from "../../runtime/open-base.ts";
import { embedded } from "../../store/connector.ts";
import { removeAdapterFile, writeAdapterFile } from "../adapter-file.ts";
import { openAdapterLog } from "../log/open-adapter-log.ts";
import { refuseMovedFolder, refuseOwnData } from "../move/move-marks.ts";
import { type RunningAdapter, type StartOptions, start } from "../start.ts";
import { advertisedUrl } from "./advertised-url.ts";
import { passedAnswers } from "./passed-answers.ts";
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

export interface ReplicatedAdapter {
  /** The address at which this process serves, as owner or by passing requests on. */
  readonly url: string;
  /** What the sample warehouse loaded in this start; null if it was not loaded. */
  readonly sample: RunningAdapter["sample"];
  readonly role: () => "owner" | "standby";
  /** Whether this process follows and has every change, so that it could take over at once. */
  readonly isWarm: () => boolean;
  /** Whether this or another process serves the deployment. */
  readonly hasOwner: () => boolean;
  /**
   * Gives the deployment to another process and then follows that one; does nothing if this process does not own it.
   */
  readonly handOver: () => void;
  readonly reload: RunningAdapter["reload"];
  readonly close: () => Promise<void>;
  /** Settles with an error if this process cannot continue. */
  readonly failed: Promise<never>;
}

/** Another process took the deployment over while this one opened it: nothing is wrong with the configuration. */
class LostWhileStarting extends Error {}

/**
 * Owns the deployment while no other process does, and otherwise follows. It switches between the two until it is
 * closed.
 */
export async function startReplicated(
  options: StartOptions & { readonly store: string; readonly mayOwn?: () => boolean },
): Promise<ReplicatedAdapter> {
  const { config, settings, store: url, clock = systemClock, redact } = options;
  const lines = openAdapterLog({ log: options.log ?? silentLog, config, clock, redact });
  const { log } = lines;
  const { deployment } = config;
  if (!URL.canParse(url)) throw storeUnusable(null, url);
  refuseMovedFolder(settings.dataFolder, deployment);
  refuseOwnData(settings.dataFolder);
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  const owner = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
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
  /** The listener with requests that waited for an owner while this process became the owner. */
  let leftOver: StandbyListener | null = null;

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
        ...{ url, deployment, owner, leaseMs, pollMs, copy, notify, mayOwn: options.mayOwn },
        sides: { dataFolder: settings.dataFolder, files: sideFiles },
        timeoutMs: patienceMs,
        timers: systemTimers,
      });
    let view: () => StandbyView = () => ({
      behind: 0,
      owner: null,
      ownerUrl: null,
      position: null,
      differs: [],
      trouble: "PostgreSQL is not reached",
    });
    let listener: StandbyListener | null = null;
    const openListener = async () => {
      listener ??= await openStandbyListener({
        ...loaded.settings,
        ...{ config, secret: () => secret, answers, log: log ?? silentLog, mount: options.mount },
        // Once this process serves itself, what still waits here is for it.
        view: () => ({ ...view(), ...(running === null ? {} : { owner, ownerUrl: running.url }) }),
      });
      keepPort(listener.url);
      if (options.mount === undefined) writeAdapterFile(settings.dataFolder, { url: listener.url, pid: process.pid });
      serve({ url: listener.url, sample: null });
    };
    try {
      if (hasServed) await openListener();
      // A problem at the first start is reported to the person who starts the adapter; later, PostgreSQL is tried again
      // until it is back.
      standby = hasServed ? await opened(open) : await open();
      if (standby === null) return null;
      // The adapter was closed while the standby was being opened.
      if (isClosing) await standby.stop();
      ({ view, secret } = standby);
      const first = await ownedAtOnce(standby);
      if (first !== undefined) return first;
      await openListener();
      // Loaded now, so that it need not be loaded when the owner fails.
      await import("../../server/server.ts");
      log.info({ deployment, owner: view().owner }, "this process is a standby");
      return await standby.owned;
    } finally {
      // `listener` is assigned in a function that the compiler does not analyse.
      leftOver = listener as StandbyListener | null;
      if (leftOver !== null && options.mount === undefined) removeAdapterFile(settings.dataFolder);
      if (isClosing) await leftOver?.end();
    }
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
    const link = await openLink({ url, owner: owned, patienceMs });
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
      const replicated = {
        journal: replica,
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
      await running?.close();
      running = null;
      // The next owner has to be told: otherwise an equal second piece would count as a retry, and be missing.
      if (!isComplete) answers.inherit([...answered, ...recentlyWritten(copy.databaseFile)]);
      await sides.close(lost !== null);
      await link.release();
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
  const ended = cycle();
  const failed = ended.then(() => new Promise<never>(() => {}));
  // The caller gets the error by `failed` or by the first promise, whichever comes first.
  failed.catch(() => {});
  const first = await Promise.race([serving, failed]);
  return {
    url: first.url,
    sample: first.sample,
    role: () => (running === null ? "standby" : "owner"),
    isWarm: () => running === null && standby !== null && isCaughtUp(standby.view()),
    hasOwner: () => running !== null || (standby?.view().ownerUrl ?? null) !== null,
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

const recentlyWritten = (databaseFile: string): number[] =>
  inheritedMarks(databaseFile)
    .filter(([, at]) => Date.now() - at < writtenMs)
    .map(([seq]) => seq);

const isCaughtUp = ({ behind, position, trouble }: StandbyView) =>
  behind === 0 && position !== null && trouble === null;
