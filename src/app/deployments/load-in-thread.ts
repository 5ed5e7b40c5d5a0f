import { ConfigError, type Objection } from "../../config/document/config-error.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { ReadNames } from "../console-tools/drafts/deployment-drafts.ts";
import { type DraftsThread, draftsThread } from "../console-tools/drafts/drafts-thread.ts";
import { withFunctions } from "../console-tools/drafts/plain-config.ts";
import type { Deployment, DeploymentsNeeds, OneDeployment } from "./load-deployments.ts";

export interface ReadDeployments {
  readonly deployments: readonly Deployment[];
  /** Returns the error that showed when a deployment's configuration was put into effect, with places in its file. */
  readonly withPlaces: (name: string, error: unknown) => Promise<unknown>;
}

type Use<Done> = (read: ReadDeployments) => Promise<Done>;

/**
 * Reads all configurations again in a thread of its own, and puts them into effect. A hundred of them take seconds to
 * read, and events must not wait for that. Throws a ConfigError with everything that is wrong.
 */
export const loadInThread = <Done>(needs: DeploymentsNeeds, timers: Timers, use: Use<Done>): Promise<Done> => {
  const { source, folder, dataFolder, env, cwd, isShared = false } = needs;
  const given = { source, folder, dataFolder, env: { ...env }, cwd, isShared };
  return readWith((drafts) => drafts.readAll(given), { cwd, timers }, use);
};

/** Does the same for one deployment, whose file may have a megabyte. */
export const loadOneInThread = <Done>(
  { name, file, dataFolder, env }: OneDeployment,
  timers: Timers,
  use: Use<Done>,
): Promise<Done> => {
  const given = { name, file, dataFolder, env: { ...env } };
  return readWith((drafts) => drafts.readOne(given), { cwd: dataFolder, timers }, use);
};

async function readWith<Done>(
  read: (drafts: DraftsThread) => Promise<ReadNames>,
  { cwd, timers }: { readonly cwd: string; readonly timers: Timers },
  use: Use<Done>,
): Promise<Done> {
  const drafts = draftsThread({ env: {}, cwd }, timers);
  try {
    const names = await read(drafts);
    if ("problems" in names) throw new ConfigError(names.problems);
    const deployments: Deployment[] = [];
    const found = new Map<string, Objection[]>();
    for (const name of names.names) {
      const { loaded, ...deployment } = await drafts.readDeployment(name);
      const objections: Objection[] = [];
      found.set(name, objections);
      deployments.push({ ...deployment, loaded: withFunctions(loaded, objections) });
    }
    const withPlaces: ReadDeployments["withPlaces"] = async (name, error) => {
      const objections = found.get(name) ?? [];
      if (!(error instanceof ConfigError) || objections.length === 0) return error;
      return new ConfigError(await drafts.describeDeployment({ name, objections }));
    };
    return await use({ deployments, withPlaces });
  } finally {
    await drafts.close();
  }
}
