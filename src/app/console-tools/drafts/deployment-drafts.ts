import { ConfigError, type ConfigProblem, type Objection } from "../../../config/document/config-error.ts";
import {
  type Deployment,
  type DeploymentsNeeds,
  loadDeployment,
  loadDeployments,
  type OneDeployment,
} from "../../deployments/load-deployments.ts";
import { type PlainConfig, plainOf } from "./plain-config.ts";

/** A deployment as another thread hands it over. */
export interface PlainDeployment extends Omit<Deployment, "loaded"> {
  readonly loaded: PlainConfig;
}

/** The names of the deployments that were read, or everything that is wrong. */
export type ReadNames = { readonly names: readonly string[] } | { readonly problems: readonly ConfigProblem[] };

/** Reads the configurations of all deployments of a process. They are handed over one by one: all at once may be long. */
export function deploymentDrafts() {
  const known = new Map<string, Deployment>();
  const deploymentOf = (name: string): Deployment => {
    const deployment = known.get(name);
    if (deployment === undefined) throw new Error(`the deployment ${name} was not read`);
    return deployment;
  };
  const read = async (load: () => Promise<readonly Deployment[]>): Promise<ReadNames> => {
    try {
      for (const deployment of await load()) known.set(deployment.name, deployment);
      return { names: [...known.keys()] };
    } catch (error) {
      if (error instanceof ConfigError) return { problems: error.problems };
      throw error;
    }
  };
  return {
    readAll: (needs: DeploymentsNeeds) => read(() => loadDeployments(needs)),
    readOne: (needs: OneDeployment) => read(async () => [await loadDeployment(needs)]),
    readDeployment: (name: string): PlainDeployment => {
      const { loaded, ...deployment } = deploymentOf(name);
      return { ...deployment, loaded: plainOf(loaded) };
    },
    describeDeployment: ({
      name,
      objections,
    }: {
      readonly name: string;
      readonly objections: readonly Objection[];
    }): readonly ConfigProblem[] => deploymentOf(name).loaded.describe(objections),
  };
}
