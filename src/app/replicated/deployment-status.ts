import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { integer, row } from "../../kit/sqlite/row.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { hangUp, openClient } from "../../replication/postgres/open-client.ts";
import { lagMs, type StoreStatus, storeStatus } from "../../replication/postgres/store-status.ts";
import { storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { readAdapterFile } from "../adapter-file.ts";
import { queryOwnAdapter } from "../listener/query-own-adapter.ts";
import { movedAwayFrom } from "../move/move-marks.ts";

export interface StatusNeeds {
  readonly dataFolder: string;
  readonly deployment: string;
  /** The PostgreSQL store; absent: everything is in the data folder. */
  readonly store: string | undefined;
  readonly timeoutMs: number;
}

/** The state on this machine and in PostgreSQL. */
export interface DeploymentStatus {
  readonly dataFolder: string;
  readonly deployment: string;
  /** The process that runs on the data folder; null if none does. */
  readonly adapter: AdapterStatus | null;
  /** Where the data of the folder was moved to; null if it is here. */
  readonly movedTo: string | null;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  /** Null without PostgreSQL. */
  readonly store:
    | ({ readonly address: string; readonly trouble: null } & StoreStatus)
    | { readonly address: string; readonly trouble: string; readonly next: string }
    | null;
  /** How far the copy in the data folder is; null without PostgreSQL or without a copy. */
  readonly copy: { readonly change: number; readonly behind: number | null; readonly behindMs: number | null } | null;
}

export interface AdapterStatus {
  readonly url: string;
  readonly pid: number;
  readonly role: "alone" | "owner" | "standby" | "unknown";
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** Asks the process on this machine, the folder and PostgreSQL, if they exist; changes nothing. */
export async function deploymentStatus(needs: StatusNeeds): Promise<DeploymentStatus> {
  const { dataFolder, deployment, store: url } = needs;
  const { position, ...adapter } = (await queryAdapter(needs)) ?? { position: null, url: null };
  const here = { adapter: adapter.url === null ? null : adapter, files: filesIn(dataFolder) };
  const base = { dataFolder, deployment, ...here, movedTo: movedAwayFrom(dataFolder)?.to ?? null };
  if (url === undefined) return { ...base, store: null, copy: null };
  const change = position ?? positionIn(dataFolder);
  const address = withoutPassword(url);
  try {
    const client = await openClient({ url, name: "crossdock status", timeoutMs: needs.timeoutMs });
    try {
      const status = await storeStatus(client, deployment);
      const store = { address, trouble: null, ...status };
      if (change === null) return { ...base, store, copy: null };
      if (status.deployment === null) return { ...base, store, copy: { change, behind: null, behindMs: null } };
      const behindMs = (await lagMs(client, deployment, change)) ?? 0;
      const behind = Math.max(0, status.deployment.changes - change);
      return { ...base, store, copy: { change, behind, behindMs } };
    } finally {
      await hangUp(client);
    }
  } catch (error) {
    const { message, next } = storeUnusable(error, url);
    return {
      ...base,
      store: { address, trouble: message, next },
      copy: change === null ? null : { change, behind: null, behindMs: null },
    };
  }
}

/** The address without its password, for people and logs. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "postgres://…";
  const { host, pathname, username } = new URL(url);
  return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

interface Ready {
  readonly ready?: boolean;
  readonly reasons?: readonly string[];
  readonly owner?: object;
  readonly standby?: { readonly position?: number | null };
}

/** The platform has to authenticate for the health routes as well. */
const isRefused = (status: number): boolean => status === 401 || status === 403;
const hidden = "it tells its health to the platform only: add `health` to `platform.openRoutes`";

async function queryAdapter({ dataFolder, timeoutMs }: StatusNeeds) {
  const found = readAdapterFile(dataFolder);
  if (found === null) return null;
  try {
    const { status, body } = await queryOwnAdapter(`${found.url}/health/ready`, { timeoutMs });
    // The answer comes from our own process; missing members count as unknown.
    const { ready = false, reasons = isRefused(status) ? [hidden] : [], owner, standby } = body as Ready;
    const role = standby !== undefined ? "standby" : owner !== undefined ? "owner" : "alone";
    return { ...found, role, ready, reasons, position: standby?.position ?? null } as const;
  } catch (error) {
    const reason = `it does not answer: ${error instanceof Error ? error.message : error}`;
    return { ...found, role: "unknown", ready: false, reasons: [reason], position: null } as const;
  }
}

function filesIn(dataFolder: string): { name: string; bytes: number }[] {
  if (!existsSync(dataFolder)) return [];
  return readdirSync(dataFolder)
    .filter((name) => /^[\w-]+\.db(-wal)?$/.test(name))
    .sort()
    .map((name) => ({ name, bytes: statSync(join(dataFolder, name), { throwIfNoEntry: false })?.size ?? 0 }));
}

/**
 * The last change that the copy has applied; null if there is no file, or it is no copy of a deployment in PostgreSQL.
 */
function positionIn(dataFolder: string): number | null {
  const file = join(dataFolder, "crossdock.db");
  if (!existsSync(file)) return null;
  const database = openDatabase(file, { readOnly: true });
  try {
    const table = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'copy_position'").get();
    if (table === undefined) return null;
    return database.query("SELECT number FROM copy_position", row({ number: integer })).get()?.number ?? null;
  } finally {
    database.close();
  }
}
