import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { beginCopy } from "../../journal/sqlite/recovery/plan-recovery.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { syncFolderNow } from "../../kit/files/sync-folder.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { isSamePosition } from "../../replication/change.ts";
import { localCopy } from "../../replication/copy/local-copy.ts";
import type { CopyOptions } from "../../replication/copy/open-copy.ts";
import { digestOfAll, tableDigests } from "../../replication/copy/table-digests.ts";
import { type DeploymentState, findDeployment } from "../../replication/postgres/change-log.ts";
import { claimForMove, markMoved } from "../../replication/postgres/move-deployment.ts";
import { hangUp } from "../../replication/postgres/open-client.ts";
import { releaseOwnership } from "../../replication/postgres/ownership.ts";
import { movedAway, StoreUnusable } from "../../replication/postgres/store-unusable.ts";
import { buildCopy } from "../../replication/snapshot/build-copy.ts";
import { writeFailure } from "../backup/write-failure.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import {
  clearMovedAway,
  clearUnfinished,
  holdsOwnData,
  isUnfinished,
  markUnfinished,
  setAsideFiles,
} from "./move-marks.ts";
import {
  keepLease,
  type MovedFile,
  type MoveNeeds,
  type MoveReport,
  moveLeaseMs,
  moverOf,
  reach,
  refuseOwned,
} from "./move-to-postgres.ts";
import { forgetPosition, type Stream, streamsOf } from "./streams-of.ts";

export interface FolderMoveNeeds extends MoveNeeds {
  /** Creates the tables of a file that begins with the first change. */
  readonly projection: Pick<CopyOptions, "projectionModule" | "projectionOptions">;
}

/**
 * Moves a deployment from PostgreSQL into a data folder. It can be interrupted anywhere and run again. The new files
 * are built beside the old ones and compared with the hash of PostgreSQL's whole history before they replace them.
 * PostgreSQL's data stays, marked so that nobody can own it there.
 */
export async function moveToFolder(needs: FolderMoveNeeds): Promise<MoveReport> {
  const { dataFolder, url, deployment, onStep = () => {} } = needs;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  refuseFolders(dataFolder);
  const databaseFile = join(dataFolder, "crossdock.db");
  const here = `${hostname()}:${dataFolder}`;
  const release = holdInstanceLock(`${databaseFile}.lock`);
  const staged = join(dataFolder, "move.part");
  let client: Client | null = null;
  try {
    if (holdsOwnData(dataFolder) && !isUnfinished(dataFolder)) {
      throw new StoreUnusable(`${dataFolder} has data of its own`, "name an empty folder with --data", null);
    }
    client = await reach(url);
    const found = await findDeployment(client, deployment);
    if (found === null || found.number === 0) {
      throw new StoreUnusable(
        `PostgreSQL has no deployment ${deployment} with data`,
        "check `deployment` and `store`",
        null,
      );
    }
    refuseOwned(found, needs);
    if (found.movedTo !== null) {
      if (found.movedTo !== here || !isUnfinished(dataFolder)) throw movedAway(deployment, found.movedTo);
      // Only the removal of the marks was left to do.
      finish();
      return { files: [{ name: "crossdock.db", tables: tableDigests(databaseFile) }], keptIn: null };
    }
    return await take(client, found);
  } catch (error) {
    throw writeFailure(error, dataFolder);
  } finally {
    rmSync(staged, { recursive: true, force: true });
    if (client !== null) await hangUp(client);
    release();
  }

  async function take(open: Client, state: DeploymentState): Promise<MoveReport> {
    const epoch = await claimForMove(open, { deployment, owner: moverOf(dataFolder), leaseMs: moveLeaseMs });
    if (epoch === null) throw new StoreUnusable(`another process owns ${deployment}`, "stop it first", null);
    const owner = { deployment, epoch, leaseMs: moveLeaseMs };
    const stopRenewing = keepLease(open, owner);
    let isMoved = false;
    try {
      rmSync(staged, { recursive: true, force: true });
      mkdirSync(staged, { mode: 0o700 });
      const files: MovedFile[] = [];
      for (const stream of streamsOf(deployment)) {
        const { name } = stream;
        onStep(`build ${name}`);
        const last = stream.isJournal ? state : await findDeployment(open, stream.stream);
        if (last === null || last.number === 0) continue;
        files.push({ name, tables: await build(open, stream, last) });
      }
      markUnfinished(dataFolder, "sqlite");
      onStep("put the files in place");
      const names = files.map(({ name }) => name);
      const keptIn = setAsideFiles(dataFolder, names, { onStep });
      for (const name of names) {
        onStep(`put ${name} in place`);
        renameSync(join(staged, name), join(dataFolder, name));
      }
      onStep("begin the witness");
      beginCopy(databaseFile);
      // PostgreSQL must not be called moved while a power cut could still undo the renames.
      syncFolderNow(dataFolder);
      onStep("mark PostgreSQL");
      await markMoved(open, owner, here);
      isMoved = true;
      onStep("finish");
      finish();
      return { files, keptIn };
    } finally {
      stopRenewing();
      if (!isMoved) {
        await releaseOwnership(open, owner).catch(() => {
          // The lease ends by itself.
        });
      }
    }
  }

  async function build(open: Client, { name, stream, isJournal, open: openFile }: Stream, last: DeploymentState) {
    const { notify, projection } = needs;
    const file = join(staged, name);
    notify(`Building ${name}.`);
    const given = { deployment: stream, upTo: last.number, open: () => openFile(file, projection), notify };
    const position = await buildCopy(open, given);
    if (!isSamePosition(position, last)) throw new Error(`${name} is not what PostgreSQL has; nothing was changed`);
    const tables = tableDigests(file);
    if (isJournal) compareWithCopy(join(dataFolder, name), last, digestOfAll(tables));
    forgetPosition(file);
    return tables;
  }

  function finish(): void {
    clearMovedAway(dataFolder);
    onStep("clear the last mark");
    clearUnfinished(dataFolder);
  }
}

/** If the folder has a copy that ends with the same change, both must have the same rows. */
function compareWithCopy(file: string, last: DeploymentState, digest: Buffer): void {
  if (!existsSync(file)) return;
  const database = openDatabase(file);
  const isCopy = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'copy_position'").get() !== undefined;
  const position = isCopy ? localCopy(database).position() : null;
  database.close();
  if (position === null || !isSamePosition(position, last)) return;
  if (!digestOfAll(tableDigests(file)).equals(digest)) {
    throw new Error(
      "the copy in the data folder and what PostgreSQL has differ, though both end with the same change; nothing was changed",
    );
  }
}
