import type { RequestListener } from "node:http";
import type { Environment } from "../../config/settings.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { BodyBudget } from "../../server/connection/body-budget.ts";
import { apiKey } from "../api-key.ts";
import { type RunningAdapter, start } from "../start.ts";
import type { Opened } from "./gate/open-gate.ts";
import { type Deployment, loadDeployment, printOf } from "./load-deployments.ts";
import type { MountedAdapter } from "./mount.ts";

export interface OpenDeploymentNeeds {
  /** As it was loaded last. */
  readonly deployment: Deployment;
  /** The data folder of the process. */
  readonly dataFolder: string;
  readonly env: Environment;
  /** The address of the listener, without a base path. */
  readonly url: string;
  readonly host: string;
  readonly bodies: BodyBudget;
  readonly program: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
  /** The configuration was changed from the deployment's own console. */
  readonly onLoaded: (deployment: Deployment) => void;
}

export interface OpenDeployment extends Opened, Pick<RunningAdapter, "reload"> {}

/** Opens one deployment under the listener of the process. */
export async function openDeployment(needs: OpenDeploymentNeeds): Promise<OpenDeployment> {
  const { dataFolder, env, url, host, bodies, program, log, clock } = needs;
  const deployment = await newest(needs);
  const { name, file, loaded } = deployment;
  const { config, settings, describe, redact } = loaded;
  const { key } = apiKey({ given: settings.apiKey, dataFolder: settings.dataFolder });
  let handle: RequestListener | null = null;
  let mounted: MountedAdapter | null = null;
  const adapter = await start({
    ...{ config, describe, redact, log, clock, program },
    settings: { ...settings, host, apiKey: key },
    configuration: {
      path: file,
      load: async (text) => (await loadDeployment({ name, file, dataFolder, env, text })).loaded,
    },
    mount: {
      ...{ name, bodies, url: url + config.basePath },
      serve: (given) => {
        handle = given;
      },
      opened: (given) => {
        mounted = given;
      },
    },
  });
  // Both are assigned in callbacks, which the compiler does not follow.
  const { isIdle, metrics } = mounted as unknown as MountedAdapter;
  return {
    ...{ isIdle, metrics, reload: adapter.reload, close: adapter.close },
    handle: (request, response) => {
      // Only after the last request of a deployment that is closed for good.
      if (handle === null) response.destroy();
      else handle(request, response);
    },
  };
}

/** A configuration that was changed since it was loaded is read again, as at a start; a wrong one is not used. */
async function newest({ deployment, dataFolder, env, log, onLoaded }: OpenDeploymentNeeds): Promise<Deployment> {
  const { name, file, loaded } = deployment;
  if (printOf(file) === deployment.print) return deployment;
  try {
    const next = await loadDeployment({ name, file, dataFolder, env });
    const { basePath, hosts } = loaded.config;
    // The process finds the deployment by its address, which changes only when all of them are read again.
    const config = { ...next.loaded.config, basePath, ...(hosts === undefined ? {} : { hosts }) };
    const changed = { ...next, loaded: { ...next.loaded, config } };
    onLoaded(changed);
    return changed;
  } catch (error) {
    log.error({ err: error }, "the changed configuration is refused; the old one stays in effect");
    return deployment;
  }
}
