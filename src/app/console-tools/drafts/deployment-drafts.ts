import { ConfigError, type ConfigProblem, type Objection } from "../../../config/document/config-error.ts";
import { type Deployment, type DeploymentsNeeds, loadDeployments } from "../../deployments/load-deployments.ts";
import { type PlainConfig, plainOf } from "./plain-config.ts";

/** A deployment as another thread hands it over. */
export interface PlainDeployment extends Omit<Deployment, "loaded"> {
  readonly loaded: PlainConfig;
}

/** Reads the configurations of all deployments of a process. They are handed over one by one: all at once may be long. */
export function deploymentDrafts() {
  const known = new Map<string, Deployment>();
  const deploymentOf = (name: string): Deployment => {
    const deployment = known.get(name);
    if (deployment === undefined) throw new Error(`the deployment ${name} was not read`);
    return deployment;
  };
  return {
    readAll: async (
      needs: DeploymentsNeeds,
    ): Promise<{ readonly names: readonly string[] } | { readonly problems: readonly ConfigProblem[] }> => {
      try {
        for (const deployment of await loadDeployments(needs)) known.set(deployment.name, deployment);
        return { names: [...known.keys()] };
      } catch (error) {
        if (error instanceof ConfigError) return { problems: error.problems };
        throw error;
      }
    },
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
