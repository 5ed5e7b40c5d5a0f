import { newestJournal } from "../../journal/sqlite/migrations.ts";
import { layoutStored } from "../../replication/postgres/change-log.ts";
import { hangUp, openClient } from "../../replication/postgres/open-client.ts";
import { newestTables, tablesVersion } from "../../replication/postgres/prepare-tables.ts";
import { storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { layout } from "../../store/schema.ts";
import { deploymentStatus } from "../replicated/deployment-status.ts";

/** The version of the tables of one part, as found and as this version needs it. */
export interface TableSteps {
  readonly part: "journal" | "store";
  readonly found: number;
  readonly wanted: number;
}

/** What this version changes for a deployment in PostgreSQL. */
export interface StoreReport {
  readonly address: string;
  readonly deployment: string;
  /** Why PostgreSQL was not asked; null if it was. */
  readonly trouble: string | null;
  /** The tables of all deployments together; `found` is 0 if there are none yet. Null if they are not known. */
  readonly tables: { readonly found: number; readonly wanted: number } | null;
  /** The tables of this deployment, by its last change; empty if there is none yet. */
  readonly steps: readonly TableSteps[];
  readonly bytes: number;
  /** Null if PostgreSQL does not know the deployment. */
  readonly changes: number | null;
  /** The address of the process that owns the deployment; null if none does. */
  readonly owner: string | null;
  /** How many changes the copy in the data folder lacks; null if there is no copy. */
  readonly behind: number | null;
  /** Why the upgrade must not be started now. */
  readonly obstacles: readonly string[];
}

export interface StoreNeeds {
  /** Null if a value of the configuration is missing here. */
  readonly url: string | null;
  readonly deployment: string;
  readonly dataFolder: string;
  /** Whether a backup is to be written now, from the copy in the data folder. */
  readonly isBackedUp: boolean;
}

const timeoutMs = 5_000;
const unknown = { tables: null, steps: [], bytes: 0, changes: null, owner: null, behind: null };

/** Asks PostgreSQL what an upgrade would change there; changes nothing. */
export async function checkStore({ url, deployment, dataFolder, isBackedUp }: StoreNeeds): Promise<StoreReport> {
  if (url === null) {
    const trouble = "its address or password is not known here: run it with the environment of the adapter";
    return { address: "PostgreSQL", deployment, trouble, ...unknown, obstacles: [] };
  }
  const { store, copy, adapter } = await deploymentStatus({ dataFolder, deployment, store: url, timeoutMs });
  const address = store?.address ?? "PostgreSQL";
  const troubled = (trouble: string, next: string): StoreReport => ({
    ...{ address, deployment, trouble, ...unknown },
    obstacles: [`PostgreSQL was not asked: ${trouble}: ${next}`],
  });
  if (store === null || store.trouble !== null) return troubled(store?.trouble ?? "unknown", store?.next ?? "");
  const found = await versionsIn(url, deployment).catch((error: unknown) => storeUnusable(error, url));
  if (found instanceof Error) return troubled(found.message, found.next);
  const behind = copy?.behind ?? null;
  const { tables, steps } = found;
  const movedTo = store.deployment?.movedTo ?? null;
  return {
    ...{ address, deployment, trouble: null, tables, steps, bytes: store.bytes, behind },
    changes: store.deployment?.changes ?? null,
    owner: store.deployment?.owner == null ? null : (store.deployment.ownerUrl ?? store.deployment.owner),
    obstacles: [
      ...[
        { part: "deployments in PostgreSQL", ...tables },
        ...steps.map((one) => ({ ...one, part: `${one.part} in PostgreSQL` })),
      ]
        .filter((one) => one.found > one.wanted)
        .map(
          (one) =>
            `the tables of the ${one.part} were written by a newer version (${one.found}, this one knows ${one.wanted}): start that one`,
        ),
      ...(movedTo === null ? [] : [`the deployment ${deployment} was moved to ${movedTo}: upgrade it there`]),
      ...(isBackedUp && adapter === null && behind !== null && behind > 0
        ? [
            `the copy in the data folder lacks ${behind} changes of PostgreSQL: make the backup where an adapter runs, or start it here first`,
          ]
        : []),
    ],
  };
}

async function versionsIn(url: string, deployment: string): Promise<Pick<StoreReport, "steps"> & { tables: Tables }> {
  const client = await openClient({ url, name: "crossdock upgrade", timeoutMs });
  try {
    const tables = { found: await tablesVersion(client), wanted: newestTables };
    const stored = tables.found === 0 ? null : await layoutStored(client, deployment);
    const [journal = 0, projected = 0] = stored?.split(".").map(Number) ?? [];
    const steps: TableSteps[] = [
      { part: "journal", found: journal, wanted: newestJournal },
      { part: "store", found: projected, wanted: layout.newest },
    ];
    // Nothing is known of changes that were stored before they had a version, or that are pruned.
    return { tables, steps: steps.filter((one) => one.found > 0) };
  } finally {
    await hangUp(client);
  }
}

type Tables = NonNullable<StoreReport["tables"]>;
