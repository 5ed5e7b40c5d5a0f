import { hangUp, openClient } from "../../replication/postgres/open-client.ts";
import { servedTogether } from "../../replication/postgres/processes.ts";
import { type OwnerOfDeployment, ownersOf } from "../../replication/postgres/store-status.ts";
import { storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { type AdapterFile, readAdapterFile } from "../adapter-file.ts";
import { withoutPassword } from "../replicated/deployment-status.ts";
import { processPath } from "./deployment-problems.ts";
import { firstFew } from "./first-few.ts";
import type { DeploymentView } from "./group/group.ts";
import { type MissingDeployment, missingAmong, missingRemedy } from "./missing/missing-among.ts";

export interface DeploymentsStatusNeeds {
  readonly dataFolder: string;
  /** The API key of the process; null if it is not known here. */
  readonly apiKey: string | null;
  /** The names in the configurations, for when no process can be asked. */
  readonly names: readonly string[];
  /** The PostgreSQL store; absent: each deployment is in its data folder. */
  readonly store: string | undefined;
  readonly timeoutMs: number;
}

/** The state of the deployments of a process, here and in PostgreSQL. */
export interface DeploymentsStatus {
  readonly dataFolder: string;
  /** The process that serves the deployments; null if none runs here. */
  readonly process: AdapterFile | null;
  /** Why the process or PostgreSQL could not be asked, each as a sentence. */
  readonly troubles: readonly string[];
  readonly store: string | null;
  readonly deployments: readonly DeploymentRow[];
  /** What other processes serve, and of which there is no configuration here. */
  readonly withoutConfiguration: readonly MissingDeployment[];
}

export interface DeploymentRow {
  readonly name: string;
  /** What the process on this machine reports; null if it was not asked. */
  readonly here: Pick<DeploymentView, "state" | "isOwner" | "isMovedByHand" | "basePath" | "failure"> | null;
  /** Null without PostgreSQL, or if PostgreSQL does not know the deployment. */
  readonly owner: OwnerOfDeployment | null;
}

const mostNamed = 10;

/** Asks the process on this machine and PostgreSQL, if they exist. Opens no deployment and changes nothing. */
export async function deploymentsStatus(needs: DeploymentsStatusNeeds): Promise<DeploymentsStatus> {
  const { dataFolder, names, store } = needs;
  const process = readAdapterFile(dataFolder);
  const troubles: string[] = [];
  const note = (trouble: string): null => {
    troubles.push(trouble);
    return null;
  };
  const views = process === null ? null : await viewsOf(process, needs).catch((error) => note(processTrouble(error)));
  const all = views?.map(({ name }) => name) ?? names;
  const stored =
    store === undefined ? null : await readStore(store, all, needs).catch((error) => note(storeTrouble(error)));
  const { owners = null, missing = [] } = stored ?? {};
  if (missing.length > 0)
    note(
      `other processes serve ${firstFew(
        missing.map(({ name }) => name),
        mostNamed,
      )} without a configuration here. Next: ${missingRemedy}`,
    );
  const here = new Map(views?.map((view) => [view.name, view]));
  return {
    ...{ dataFolder, process, troubles, store: store === undefined ? null : withoutPassword(store) },
    deployments: all.map((name) => ({ name, here: hereOf(here.get(name)), owner: owners?.get(name) ?? null })),
    withoutConfiguration: missing,
  };

  function storeTrouble(error: unknown): string {
    const { message, next } = storeUnusable(error, store ?? "");
    return `${message}. Next: ${next}`;
  }
}

const processTrouble = (error: unknown) =>
  `the process does not say how its deployments are: ${error instanceof Error ? error.message : error}`;

function hereOf(view: DeploymentView | undefined): DeploymentRow["here"] {
  if (view === undefined) return null;
  const { state, isOwner, isMovedByHand, basePath, failure } = view;
  return { state, isOwner, isMovedByHand, basePath, failure };
}

async function viewsOf({ url }: AdapterFile, needs: DeploymentsStatusNeeds): Promise<readonly DeploymentView[]> {
  if (needs.apiKey === null) throw new Error("its key is not known here; set it in CROSSDOCK_API_KEY");
  const response = await fetch(`${url}${processPath}/status`, {
    headers: { "x-api-key": needs.apiKey },
    signal: AbortSignal.timeout(needs.timeoutMs),
    redirect: "error",
  });
  if (!response.ok) throw new Error(`it answered ${response.status} to the key; check CROSSDOCK_API_KEY`);
  // The answer comes from our own process, which has our key.
  return ((await response.json()) as { readonly deployments: readonly DeploymentView[] }).deployments;
}

async function readStore(url: string, names: readonly string[], { timeoutMs }: DeploymentsStatusNeeds) {
  const client = await openClient({ url, name: "crossdock status", timeoutMs });
  try {
    const owners = await ownersOf(client, names);
    return { owners, missing: missingAmong((name) => names.includes(name), await servedTogether(client)) };
  } finally {
    await hangUp(client);
  }
}
