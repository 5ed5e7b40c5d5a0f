import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { noteArrived } from "../../engine/events/take-event.ts";
import { openIntakeFile } from "../../engine/quarantine/open-quarantine.ts";
import { openOverruling } from "../../engine/quarantine/overruled-until.ts";
import { openSqliteJournal } from "../../journal/sqlite/open-sqlite-journal.ts";
import { storedPushes } from "../../journal/sqlite/stored-pushes.ts";
import { watchDisk } from "../../journal/watch-disk.ts";
import type { Open } from "../../kit/open-all.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { foldsEnded } from "../../kit/sqlite/synced-log.ts";
import { connectorStates } from "../../runtime/connector-state.ts";
import { fallbackGuards } from "../../runtime/fallback-guard.ts";
import { embeddedOptionsOf } from "../../runtime/open-base.ts";
import { embedded } from "../../store/connector.ts";
import { eventSubjects } from "../../store/events/find-event-subject.ts";
import { openLongTexts } from "../../store/long-texts/long-texts.ts";
import { refuseUnfinished, removeStaged } from "../backup/unfinished.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import { refuseUnwritable } from "../data-folder/refuse-unwritable.ts";
import { viewsThread } from "../journal-views/views-thread.ts";
import { refuseCopy, refuseMovedFolder } from "../move/move-marks.ts";
import { orderRecordsIn } from "../stored-journal.ts";
import { noteVersion } from "../upgrade/last-version.ts";
import { versionInfo } from "../version-info.ts";
import type { Surroundings } from "./start-options.ts";

export interface DataFolderNeeds extends Surroundings {
  /** Called with the orders that an external system has served. */
  readonly onServed: Parameters<typeof fallbackGuards>[0]["onServed"];
}

export type OpenDataFolder = Awaited<ReturnType<typeof openDataFolder>>;

/** Opens everything in the data folder, except what only watches or signs. */
export async function openDataFolder(needs: DataFolderNeeds, open: Open) {
  const { config, settings, clock, timers, log, lines, replica, connector: outside, onServed } = needs;
  const { dataFolder } = settings;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const databaseFile = join(dataFolder, "crossdock.db");
  refuseFolders(dataFolder);
  refuseUnwritable(dataFolder);
  refuseUnfinished(dataFolder);
  refuseMovedFolder(dataFolder, replica === undefined ? null : config.deployment);
  if (replica === undefined) refuseCopy(dataFolder);
  const isFirstStart = replica?.isFirstStart ?? !existsSync(databaseFile);
  const openJournal = () =>
    openSqliteJournal({
      databaseFile,
      projectionModule: (outside ?? embedded).projectionModule,
      projectionOptions: embeddedOptionsOf(config),
      emissionTarget: config.events.to,
      replica: replica?.journal,
      thread: replica?.thread,
    });
  const journal = await open("journal", openJournal, (one) => one.close());
  const { read } = journal;
  await removeStaged({ dataFolder, log });
  noteArrived(journal, clock, replica?.answered ?? []);
  noteVersion(dataFolder, versionInfo().version);
  for (const notice of journal.notices) log.error({ notice }, "a side file of the data folder is damaged or missing");
  const side = { dataFolder, log, replica: replica?.sides };
  // Awaited last of all side files, when they are closed.
  await open("folds of side files", () => dataFolder, foldsEnded);
  const openNotes = () => connectorStates(side);
  const notes = await open("connector state", openNotes, (one) => one.close());
  const openIntake = () => openIntakeFile({ ...side, clock, timers, maskSecrets: lines.maskSecrets });
  const intakeFile = await open("intake file", openIntake, (one) => one.close());
  const { quarantine } = intakeFile;
  const openGuards = () => fallbackGuards({ ...side, read, quarantine, onServed, clock, timers });
  const guards = await open("fallback data", openGuards, (one) => one.close());
  const openReader = () => openDatabase(databaseFile, { readOnly: true });
  const storeReader = await open("store reader", openReader, (one) => one.close());
  const openTexts = async () => openLongTexts({ databaseFile, timers });
  const longTexts = await open("long texts", openTexts, (one) => one.close());
  const { knownRecords } = intakeFile;
  const { isCatchingUp } = journal;
  // A sender may have the name of a connector; then its pushes are not told from what the connector found.
  const isConnector = (name: string) => Object.hasOwn(config.connectors, name) && !Object.hasOwn(config.senders, name);
  const overruling = openOverruling({
    ...{ knownRecords, stored: storedPushes(storeReader), isConnector, isCatchingUp, timers, log },
  });
  const openViews = () => viewsThread({ databaseFile, timers, onDamage: journal.noteDamage });
  const { views } = await open("journal views", openViews, (one) => one.close());
  const openDisk = () => watchDisk({ folder: dataFolder, timers, log });
  const disk = await open("disk watch", openDisk, (one) => one.stop());
  return {
    ...{
      databaseFile,
      isFirstStart,
      journal,
      read,
      side,
      connectorStates: notes,
      intakeFile,
      overruling,
      quarantine,
      guards,
      disk,
    },
    storeReader,
    views,
    orderRecords: orderRecordsIn(storeReader),
    longTexts,
    findSubject: eventSubjects(storeReader, longTexts, guards.orderOf),
  };
}
