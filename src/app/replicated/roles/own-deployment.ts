import { join } from "node:path";
import type { PreparedWriter } from "../../../journal/sqlite/prepare-writer.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import type { Owner } from "../../../replication/postgres/change-log.ts";
import { sideStream } from "../../../replication/postgres/side-stream.ts";
import { openSideLink, type SideLink } from "../../../replication/side/side-link.ts";
import { keepSnapshots } from "../../../replication/snapshot/keep-snapshots.ts";
import { type RunningAdapter, type StartOptions, start } from "../../start.ts";
import { sideFiles } from "../side-files.ts";
import { advertisedUrl } from "./advertised-url.ts";
import type { Owned } from "./follow-deployment.ts";
import { patienceMs, pauseMs, recentlyWritten, type SharedDeployment } from "./shared-deployment.ts";

/** A process that owns a deployment. */
export interface Owning {
  /** The adapter that serves; null while this process does not own the deployment. */
  readonly running: () => RunningAdapter | null;
  /** Serves until this process stops, loses the deployment or hands it over. */
  readonly own: (owned: Owned) => Promise<void>;
  /** Gives the deployment to another process; does nothing if this process does not own it. */
  readonly handOver: () => void;
  /** Tells the other processes what the configuration here is now; does nothing if this process does not own it. */
  readonly publish: () => void;
}

export interface OwningNeeds {
  /** The options as they were last loaded. */
  readonly options: () => StartOptions;
  readonly secret: () => string;
  /** Called when this process serves. */
  readonly onServing: (running: RunningAdapter) => void;
  /** Called before it serves no more, unless it stops: from now on requests are passed on to the next owner. */
  readonly onLeaving: () => void;
}

/** Another process took the deployment over while this one opened it: nothing is wrong with the configuration. */
export class LostWhileStarting extends Error {}

export function ownDeployment(shared: SharedDeployment, needs: OwningNeeds): Owning {
  const { store: url, deployment, config, dataFolder, copy, mount, threads, answers, log, closing } = shared;
  let running: RunningAdapter | null = null;
  let handOver = () => {};
  let publish = () => {};

  const snapshotOf = (name: string, owner: Owner) => ({
    ...{ url, owner, timeoutMs: 10 * patienceMs, copyFile: join(dataFolder, `${name}.snapshot`) },
    historyMs: config.storeHistoryDays * 86_400_000,
    stored: async () => {
      // Nothing to wait for: PostgreSQL has each commit before this file does.
    },
  });
  const beginSnapshots = (owned: Owned, sides: SideLink) => {
    const snapshotted = [
      { ...snapshotOf("crossdock.db", owned), freeze: () => openDatabase(copy.databaseFile, { readOnly: true }) },
      ...sideFiles.map(({ name }) => ({
        ...snapshotOf(name, { ...owned, deployment: sideStream(deployment, name) }),
        freeze: () => sides.freeze(name),
        stored: sides.stored,
      })),
    ];
    return keepSnapshots(snapshotted, {
      store: { url, deployment, timeoutMs: patienceMs },
      ...{ timers: systemTimers, notify: shared.notify },
    });
  };

  return {
    running: () => running,
    handOver: () => handOver(),
    publish: () => publish(),
    own: async (owned) => {
      const { link: prepared, writer } = await threads.take();
      const link = await prepared.begin(owned);
      const { promise: sidesLost, resolve: onLost } = Promise.withResolvers<string>();
      const sides = openSideLink({
        ...{ request: shared.sideRequest, owner: owned, dataFolder, timers: systemTimers, onLost },
        timeoutMs: patienceMs,
      });
      const stopSnapshots = beginSnapshots(owned, sides);
      let lost: string | null = null;
      /** Whether every mark of an answer is in PostgreSQL. */
      let isComplete = false;
      const answered = answers.takeAll();
      const losing = Promise.race([link.lost, sidesLost]);
      const { thread, ended: writerEnded } = watchedWriter(writer);
      try {
        const onClosing = async () => {
          if (lost === null) await sides.complete();
        };
        /** The next owner can begin while the files here are closed. */
        const onComplete = async () => {
          if (lost === null) await link.release();
        };
        const replica = {
          journal: { ...link.replica, onClosing, onComplete },
          ...{ thread, sides, isOurs: link.isOurs, lost: losing, isFirstStart: owned.isNew, answered },
          owns: { deployment, epoch: owned.epoch },
          secret: needs.secret(),
        };
        running = await start({ ...needs.options(), mount, replica }).catch(async (error: unknown) => {
          lost = (await Promise.race([losing, pauseMs(0)])) ?? null;
          throw lost === null ? error : new LostWhileStarting(lost, { cause: error });
        });
        const address = advertisedUrl(running.url, needs.options().settings.advertise);
        publish = () => link.publish(address, shared.settings());
        publish();
        log.info({ deployment, epoch: owned.epoch }, "this process owns the deployment");
        needs.onServing(running);
        const { promise: handedOver, resolve } = Promise.withResolvers<null>();
        handOver = () => resolve(null);
        // Without its writer it could store nothing, and nobody else would take over while its lease is renewed.
        lost = await Promise.race([losing, writerEnded, closing, handedOver]);
        isComplete = lost === null;
        if (lost !== null)
          log.error({ deployment, reason: lost }, "the deployment is lost; this process becomes a standby");
      } finally {
        publish = () => {};
        // From the last to the first. What cannot be closed does not keep the others open: a link that is not ended
        // would stay in its thread.
        const closings = new AsyncDisposableStack();
        // Done after the release, so that a standby does not wait for a snapshot that is still being stored.
        closings.defer(stopSnapshots);
        // The writer's thread has ended, unless the adapter failed before it opened the journal.
        closings.defer(() => writer.discard());
        closings.defer(() => link.end());
        closings.defer(() => sides.close());
        // Released before, unless the adapter could not be opened or closed.
        closings.defer(() => link.release());
        closings.defer(() => {
          // The next owner has to be told: otherwise an equal second piece would count as a retry, and be missing.
          if (!isComplete) answers.inherit([...answered, ...recentlyWritten(copy.databaseFile)]);
        });
        closings.defer(async () => {
          try {
            await running?.close();
          } finally {
            running = null;
          }
        });
        if (!shared.isClosing()) needs.onLeaving();
        await closings.disposeAsync();
      }
    },
  };
}

/** The same writer, and when it has ended. */
function watchedWriter(writer: PreparedWriter): { readonly thread: PreparedWriter; readonly ended: Promise<string> } {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const thread: PreparedWriter = {
    ...writer,
    begin: (settings, port) => {
      const begun = writer.begin(settings, port);
      void begun.ended.then(() => resolve("the journal's writer has stopped"));
      return begun;
    },
  };
  return { thread, ended };
}
