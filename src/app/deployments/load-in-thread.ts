import { ConfigError, type Objection } from "../../config/document/config-error.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { draftsThread } from "../console-tools/drafts/drafts-thread.ts";
import { withFunctions } from "../console-tools/drafts/plain-config.ts";
import type { Deployment, DeploymentsNeeds } from "./load-deployments.ts";

export interface ReadDeployments {
  readonly deployments: readonly Deployment[];
  /** Returns the error that showed when a deployment's configuration was put into effect, with places in its file. */
  readonly withPlaces: (name: string, error: unknown) => Promise<unknown>;
}

/**
 * Reads all configurations again in a thread of its own, and puts them into effect. A hundred of them take seconds to
 * read, and events must not wait for that. Throws a ConfigError with everything that is wrong.
 */
export async function loadInThread<Done>(
  { source, folder, dataFolder, env, cwd, isShared = false }: DeploymentsNeeds,
  timers: Timers,
  use: (read: ReadDeployments) => Promise<Done>,
): Promise<Done> {
  const drafts = draftsThread({ env: {}, cwd }, timers);
  try {
    const read = await drafts.readAll({ source, folder, dataFolder, env: { ...env }, cwd, isShared });
    if ("problems" in read) throw new ConfigError(read.problems);
    const deployments: Deployment[] = [];
    const found = new Map<string, Objection[]>();
    for (const name of read.names) {
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
