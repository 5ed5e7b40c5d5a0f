import { existsSync, mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { openStoreGuard } from "../../journal/sqlite/damage/store-guard.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import type { Position } from "../../replication/change.ts";
import { layoutOf } from "../../replication/copy/layout.ts";
import { localCopy } from "../../replication/copy/local-copy.ts";
import { digestOfAll, type TableDigest, tableDigests } from "../../replication/copy/table-digests.ts";
import {
  type DeploymentState,
  deploymentState,
  findDeployment,
  type Owner,
} from "../../replication/postgres/change-log.ts";
import { claimForMove, commitMove, hasMoved, type MovedStream } from "../../replication/postgres/move-deployment.ts";
import { hangUp, openClient } from "../../replication/postgres/open-client.ts";
import { renewLease } from "../../replication/postgres/ownership.ts";
import { prepareTables } from "../../replication/postgres/prepare-tables.ts";
import { createSideStream } from "../../replication/postgres/side-stream.ts";
import { StoreUnusable, storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { restoreSnapshot } from "../../replication/snapshot/restore-snapshot.ts";
import { storeParts } from "../../replication/snapshot/store-snapshot.ts";
import * as storeProjection from "../../store/store-projection.ts";
import { writeFailure } from "../backup/write-failure.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import { withoutPassword } from "../replicated/deployment-status.ts";
import {
  clearUnfinished,
  type MovedMark,
  markMovedAway,
  markUnfinished,
  movedAwayFrom,
  nextKeptIn,
  refuseCopy,
  setAsideFiles,
  unfinishedMove,
} from "./move-marks.ts";
import { type Stream, streamsOf } from "./streams-of.ts";

export interface MoveNeeds {
  readonly dataFolder: string;
  readonly url: string;
  readonly deployment: string;
  readonly notify: (text: string) => void;
  /** For tests: called before each step; it may throw as if the process had been killed. */
  readonly onStep?: (step: string) => void;
}

export interface MoveReport {
  readonly files: readonly MovedFile[];
  /** The folder with the replaced files; null if none were replaced. */
  readonly keptIn: string | null;
}

export interface MovedFile {
  readonly name: string;
  readonly tables: readonly TableDigest[];
}

/** The lease of a move. It is longer than usual, because sending a table may take long; it is renewed meanwhile. */
export const moveLeaseMs = 60_000;
const statementMs = 60_000;
/** Written without the address, which may have a password. */
const unfinishedTarget = "postgres://…";

/**
 * Moves the data of a folder to PostgreSQL. It can be interrupted anywhere and run again: PostgreSQL gets everything in
 * one commit, after it was read back and compared, and only then is the folder marked.
 */
export async function moveToPostgres(needs: MoveNeeds): Promise<MoveReport> {
  const { dataFolder, url, deployment, onStep = () => {} } = needs;
  const databaseFile = join(dataFolder, "crossdock.db");
  refuseFolders(dataFolder);
  const moved = movedAwayFrom(dataFolder);
  const target = { to: withoutPassword(url), deployment };
  // The folder is already marked, so PostgreSQL has everything: only files are left to be set aside.
  const isLeftOver = moved !== null && unfinishedMove(dataFolder) === unfinishedTarget;
  if (moved !== null && !(isLeftOver && moved.to === target.to && moved.deployment === deployment)) {
    throw new StoreUnusable(
      `the data of this folder was moved to ${moved.to} before`,
      "start it with that store",
      null,
    );
  }
  if (moved === null && !existsSync(databaseFile)) {
    throw new StoreUnusable(`${dataFolder} has no data to move`, "name its data folder with --data", null);
  }
  const release = holdInstanceLock(`${databaseFile}.lock`);
  const staged = join(dataFolder, "move.part");
  let client: Client | null = null;
  try {
    if (moved !== null) {
      const folder = finish(moved);
      const names = streamsOf(deployment).map(({ name }) => name);
      const kept = names.filter((name) => folder !== null && existsSync(join(folder, name)));
      return { files: kept.map((name) => ({ name, tables: tableDigests(join(folder ?? "", name)) })), keptIn: folder };
    }
    refuseCopy(dataFolder);
    // Checked as at a start: damaged data must not be moved.
    openStoreGuard(databaseFile).close(() => {});
    client = await reach(url);
    onStep("check the target");
    rmSync(staged, { recursive: true, force: true });
    mkdirSync(staged, { mode: 0o700 });
    const files = await Promise.all(
      streamsOf(deployment)
        .filter(({ name }) => existsSync(join(dataFolder, name)))
        .map(async (file) => ({ ...file, tables: await copyOf(dataFolder, staged, file.name) })),
    );
    if (!(await isThereAlready(client, needs, files))) await send(client, files);
    // From here until the files are set aside, only a repeated move may go on. It knows by the mark that nothing is left
    // to send: what is still in the folder may be a part of it only.
    markUnfinished(dataFolder, unfinishedTarget);
    onStep("mark the folder");
    const mark = { ...target, keptIn: nextKeptIn(dataFolder) };
    markMovedAway(dataFolder, mark);
    return { files, keptIn: finish(mark) };
  } catch (error) {
    throw writeFailure(error, dataFolder);
  } finally {
    rmSync(staged, { recursive: true, force: true });
    if (client !== null) await hangUp(client);
    release();
  }

  /** Sets the files aside, and returns their folder. */
  function finish({ keptIn }: MovedMark): string | null {
    onStep("set the files aside");
    const names = streamsOf(deployment).map(({ name }) => name);
    const folder = setAsideFiles(dataFolder, names, { ...(keptIn === undefined ? {} : { keptIn }), onStep });
    onStep("finish");
    clearUnfinished(dataFolder);
    return folder;
  }

  async function send(open: Client, files: readonly (MovedFile & Stream)[]): Promise<void> {
    await deploymentState(open, deployment);
    const epoch = await claimForMove(open, { deployment, owner: moverOf(dataFolder), leaseMs: moveLeaseMs });
    if (epoch === null) throw new StoreUnusable(`another process owns ${deployment}`, "stop it first", null);
    const owner = { deployment, epoch, leaseMs: moveLeaseMs };
    const stopRenewing = keepLease(open, owner);
    const streams: MovedStream[] = [];
    try {
      for (const { name, stream, isJournal, tables } of files) {
        onStep(`send ${name}`);
        if (!isJournal) await createSideStream(open, owner, name);
        const { number } = await deploymentState(open, stream);
        const position = { number: number + 1, hash: digestOfAll(tables) };
        const file = join(staged, name);
        setPosition(file, position);
        needs.notify(`Sending ${name}.`);
        const snapshot = await storeParts(open, { deployment: stream, number: position.number }, file);
        onStep(`read ${name} back`);
        const back = `${file}.back`;
        await restoreSnapshot((work) => work(open), { deployment: stream, snapshot, file: back });
        if (!digestOfAll(tableDigests(back)).equals(position.hash)) {
          throw new Error(`${name} is not the same in PostgreSQL; nothing was changed`);
        }
        streams.push({ deployment: stream, epoch, position, snapshot, layout: isJournal ? layoutIn(file) : null });
      }
      // From here until the folder is marked, nobody knows whether the commit was made. So neither place can be started
      // until the move is run again.
      markUnfinished(dataFolder, unfinishedTarget);
      onStep("commit");
      await commitMove(open, streams);
    } finally {
      stopRenewing();
    }
  }
}

/** Renews the lease until the returned function is called. */
export function keepLease(client: Client, owner: Owner): () => void {
  const renewing = setInterval(() => {
    renewLease(client, owner).catch(() => {
      // If the lease is lost meanwhile, the last statement of the move is refused.
    });
  }, owner.leaseMs / 4);
  return () => clearInterval(renewing);
}

/** Connects to PostgreSQL; errors become sentences for people. */
export async function reach(url: string): Promise<Client> {
  let client: Client | null = null;
  try {
    client = await openClient({ url, name: "crossdock move", timeoutMs: statementMs });
    await prepareTables(client);
    return client;
  } catch (error) {
    if (client !== null) await hangUp(client);
    throw storeUnusable(error, url);
  }
}

/**
 * Whether PostgreSQL already has exactly this data, because a move was interrupted after its commit. Other data there
 * is refused.
 */
async function isThereAlready(
  client: Client,
  { deployment, dataFolder }: MoveNeeds,
  files: readonly (MovedFile & Stream)[],
): Promise<boolean> {
  const found = await findDeployment(client, deployment);
  if (found === null) return false;
  refuseOwned(found, { deployment, dataFolder });
  if (found.number === 0 || found.movedTo !== null) return false;
  const [journal] = files;
  if (journal !== undefined && (await hasMoved(client, deployment, digestOfAll(journal.tables)))) return true;
  throw new StoreUnusable(
    `PostgreSQL already has a deployment ${deployment} with data (${found.number} changes)`,
    "choose another name in `deployment`, or another database",
    null,
  );
}

/** The owner name of a move of this folder, whose lock is held. */
export const moverOf = (dataFolder: string): string => `move of ${hostname()}:${dataFolder}`;

export function refuseOwned(
  { owner, isLeaseOver, movedTo }: DeploymentState,
  { deployment, dataFolder }: Pick<MoveNeeds, "deployment" | "dataFolder">,
): void {
  if (owner === null || owner === moverOf(dataFolder) || isLeaseOver || movedTo !== null) return;
  throw new StoreUnusable(
    `${owner} owns the deployment ${deployment} at this moment`,
    "stop its processes first",
    null,
  );
}

async function copyOf(dataFolder: string, staged: string, name: string): Promise<readonly TableDigest[]> {
  // Read-only: closing a writable connection could fold the log, and the journal's guard would miss that.
  const database = openDatabase(join(dataFolder, name), { readOnly: true });
  try {
    await database.backup(join(staged, name));
  } finally {
    database.close();
  }
  return tableDigests(join(staged, name));
}

function layoutIn(file: string): string {
  const database = openDatabase(file, { readOnly: true });
  try {
    return layoutOf(database, storeProjection);
  } finally {
    database.close();
  }
}

function setPosition(file: string, position: Position): void {
  const database = openDatabase(file, { isPrivate: true });
  localCopy(database).moveTo(position);
  // Only the file itself is sent, so its log is folded first.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  database.close();
}
