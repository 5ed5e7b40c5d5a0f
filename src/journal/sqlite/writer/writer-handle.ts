import { newId } from "../../../kit/ids.ts";
import { type Database, openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { systemClock } from "../../../kit/time/clock.ts";
import type { ProjectionModule } from "../../inline-projection.ts";
import type { Replica, ReplicaModule } from "../../journal-replica.ts";
import type { Stagings } from "../bulk/stagings.ts";
import type { LogMaintenance } from "../log/log-maintenance.ts";
import { migrate } from "../migrations.ts";
import { makeDurable, overwriteFailed } from "./durability.ts";
import { type Refusal, refusalBy, type StagedWritten, type Sync, type Writer, type Written, writer } from "./writer.ts";
import type { Command, Mark, Result } from "./writer-command.ts";
import type { ChangedSettings, WriterSettings } from "./writer-messages.ts";

export interface HandleNeeds {
  readonly settings: WriterSettings;
  readonly projection: ProjectionModule | null;
  readonly replica: ReplicaModule | null;
  /** Marks of answers that an earlier process sent and could not store; empty once they are stored. */
  readonly inherited: Mark[];
  readonly maintenance: LogMaintenance;
  readonly eraseIds: (call: number) => void;
}

/** The writer of one journal with its database handle. After a disk failure, the next call opens a new handle. */
export interface WriterHandle {
  /** Null while the database cannot be opened: then every batch is refused, and the next one tries to open it again. */
  readonly current: () => Writer | null;
  /** Throws if it cannot be opened. */
  readonly open: () => void;
  /** A promise if the replica lets this thread go on: nothing else may be called until it settles. */
  readonly write: (commands: readonly Command[]) => Answered | Promise<Answered>;
  readonly staged: <Done>(work: (staging: Stagings) => Done, sync: Sync) => StagedWritten<Done>;
  /** Tests whether the disk accepts a write. */
  readonly probe: () => Refusal | null;
  /** The next batch uses a writer that was opened with the new settings. */
  readonly change: (changed: ChangedSettings) => void;
  readonly drop: () => void;
  /** Closes the database. The writer is not dropped, because it is not used any more. */
  readonly close: () => void;
}

/** Limit of marks that wait for a place that stores nothing; the oldest are given up. */
const mostOwed = 20_000;

export type Answered = Pick<Written, "results" | "refusal" | "isAhead">;

export function writerHandle(needs: HandleNeeds): WriterHandle {
  const { projection, replica, inherited, maintenance, eraseIds } = needs;
  let { settings } = needs;
  let database: Database | undefined;
  let current: Writer | null = null;
  let hasBooted = false;
  let replicating: Replica | null = null;
  /** Marks of refused batches, in their order. */
  const owed: Mark[] = [];

  /**
   * Keeps marks that were refused, for the next batch. The platform has these answers, and an equal second piece may
   * already wait for that batch: without the marks it would count as a retry, and be missing.
   */
  const keepMarks = (commands: readonly Command[], answered: Answered): Answered => {
    const results = answered.results.map((result, index): Result => {
      const command = commands[index];
      if (command?.name !== "markAnswered" || "done" in result) return result;
      owed.push(...command.marks);
      return { done: null };
    });
    if (owed.length > mostOwed) owed.splice(0, owed.length - mostOwed);
    return { ...answered, results };
  };

  const close = () => {
    replicating?.close?.();
    replicating = null;
    if (database?.isOpen() === true) database.close();
  };

  const drop = () => {
    current = null;
    close();
  };

  /** Called when the disk failed with this handle: the next batch gets a new one. */
  const breakOff = () => {
    maintenance.noteFailure();
    drop();
    // Not with a replica: this file would then hold something that the replica does not have.
    if (replica === null) overwriteFailed(settings.databaseFile);
  };

  const open = (): Writer => {
    const opened = openDatabase(settings.databaseFile);
    database = opened;
    makeDurable(opened, { hasReplica: replica !== null });
    migrate(opened);
    const project = () => projection?.openProjection(opened, settings.projectionOptions) ?? null;
    const creating = project();
    // The replica is opened after all tables exist, because it brings them up to date.
    replicating = replica?.openReplica(opened, settings.replica?.options, projection ?? undefined) ?? null;
    // What a projection has read before is out of date now.
    const projecting = replica === null ? creating : project();
    const made = writer({
      isBoot: !hasBooted,
      database: opened,
      inherited,
      owed,
      projection: projecting,
      replica: replicating,
      emissionTarget: settings.emissionTarget,
      newEntryId: () => `evt_${newId(systemClock)}`,
      eraseIds,
    });
    hasBooted = true;
    maintenance.foldWhatMayBeLost(made);
    return made;
  };

  return {
    current: () => current,
    open: () => {
      current = open();
    },
    write: (commands) => {
      const end = (written: Written): Answered => {
        if (written.isBroken) breakOff();
        // Most batches are stored, and are not copied.
        return written.results.some((result) => "error" in result) ? keepMarks(commands, written) : written;
      };
      const refuse = (error: unknown): Answered => {
        breakOff();
        const refusal = refusalBy(error) ?? { reason: describe(error), isDamage: false };
        return keepMarks(commands, { results: commands.map(() => ({ error: describe(error) })), refusal });
      };
      try {
        current ??= open();
        const { write, writeLater } = current;
        return writeLater === null ? end(write(commands)) : writeLater(commands).then(end).catch(refuse);
      } catch (error) {
        return refuse(error);
      }
    },
    staged: (work, sync) => {
      try {
        current ??= open();
        const written = current.staged(work, sync);
        if (written.isBroken) breakOff();
        if (!("error" in written)) {
          if (sync === "now") maintenance.noteSynced();
          else maintenance.noteUnsynced();
        }
        return written;
      } catch (error) {
        breakOff();
        return { error: describe(error), isBroken: true, isOfEntry: false, refusal: refusalBy(error) };
      }
    },
    probe: () => {
      try {
        current ??= open();
        const refusal = current.probe();
        if (refusal !== null) breakOff();
        return refusal;
      } catch (error) {
        breakOff();
        return refusalBy(error) ?? { reason: describe(error), isDamage: false };
      }
    },
    change: (changed) => {
      settings = { ...settings, ...changed };
      drop();
    },
    drop,
    close,
  };
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
