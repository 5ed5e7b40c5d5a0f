import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../config/config-schema.ts";
import { inheritedMarks } from "../../../journal/sqlite/writer/written-notes.ts";
import type { Log } from "../../../kit/log.ts";
import type { CopyOptions } from "../../../replication/copy/open-copy.ts";
import type { ReconnectingClient } from "../../../replication/postgres/connection/reconnecting-client.ts";
import { embeddedOptionsOf } from "../../../runtime/open-base.ts";
import { embedded } from "../../../store/connector.ts";
import type { Mount } from "../../listener/mount.ts";
import type { StartOptions } from "../../openers/start-options.ts";
import { type PassedAnswers, passedAnswers } from "../answers/passed-answers.ts";
import type { OwnerThreads } from "./owner-threads.ts";
import { type PreparedOwner, preparedOwner } from "./prepared-owner.ts";

/** What a process has of a deployment, whether it follows or owns it. */
export interface SharedDeployment {
  /** The PostgreSQL. */
  readonly store: string;
  readonly deployment: string;
  readonly config: Config;
  /** The name of this process, which no other process has. */
  readonly owner: string;
  readonly dataFolder: string;
  readonly copy: CopyOptions;
  /** What of the configuration is compared with other processes; another object after a reload. */
  readonly settings: () => object;
  readonly mount: Mount;
  readonly threads: PreparedOwner;
  /** Runs statements for the databases beside the journal. */
  readonly sideRequest: ReconnectingClient["request"];
  /** Reads the states of the deployments that this process follows. */
  readonly watch: OwnerThreads["watch"];
  /** Whether the process has prepared the tables in PostgreSQL before it opened its deployments. */
  readonly areTablesReady: boolean;
  readonly answers: PassedAnswers;
  readonly log: Log;
  /** Logs a sentence of the store: what happened, and what it means. */
  readonly notify: (notice: string) => void;
  readonly isClosing: () => boolean;
  /** Settles when this process stops. */
  readonly closing: Promise<null>;
}

/** How long an owner keeps a deployment without renewing its lease; then a standby takes over. */
export const leaseMs = 2_000;
export const pollMs = 100;
/** The time limit of a statement. A commit is refused after this time at the latest, or when the lease is over. */
export const patienceMs = 5_000;
/** How long to wait before the store is tried again. */
export const retryMs = 1_000;
/** How far back answers are reported: as long as an equal event counts as a retry. */
const writtenMs = 15 * 60_000;

export interface SharedNeeds
  extends Pick<StartOptions, "config" | "settings" | "connector">,
    Pick<SharedDeployment, "store" | "mount" | "log" | "isClosing" | "closing"> {
  readonly comparedSettings: SharedDeployment["settings"];
  /** The name of the process, if it serves many deployments. */
  readonly processName?: string | undefined;
  /** The threads that this deployment shares with others of the process, if there are any. */
  readonly ownerThreads: Pick<OwnerThreads, "links" | "writers" | "sides" | "watch">;
}

export function sharedDeployment(needs: SharedNeeds): SharedDeployment {
  const { store, config, settings, processName, log, mount, isClosing, closing } = needs;
  const { deployment } = config;
  const { dataFolder } = settings;
  const unique = randomUUID().slice(0, 8);
  const copy = {
    databaseFile: join(dataFolder, "crossdock.db"),
    projectionModule: (needs.connector ?? embedded).projectionModule,
    projectionOptions: embeddedOptionsOf(config),
  };
  const answers = passedAnswers();
  // This process may have been the owner before it was killed. Only this folder knows which answers it had just
  // written.
  answers.inherit(recentlyWritten(copy.databaseFile));
  return {
    ...{ store, deployment, config, dataFolder, copy, mount, answers, log, isClosing, closing },
    settings: needs.comparedSettings,
    owner: processName === undefined ? `${hostname()}-${process.pid}-${unique}` : `${processName}/${unique}`,
    threads: preparedOwner({ deployment, threads: needs.ownerThreads, projectionModule: copy.projectionModule }),
    sideRequest: needs.ownerThreads.sides.request,
    watch: needs.ownerThreads.watch,
    areTablesReady: processName !== undefined,
    notify: (notice) => log.warn({ deployment, notice }, "the store reports"),
  };
}

/** The entries whose answers an owner in this folder has written lately, and perhaps not stored as written. */
export const recentlyWritten = (databaseFile: string): number[] =>
  inheritedMarks(databaseFile)
    .filter(([, at]) => Date.now() - at < writtenMs)
    .map(([seq]) => seq);

export const pauseMs = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined));
