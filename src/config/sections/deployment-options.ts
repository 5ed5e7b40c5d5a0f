import { type Static, Type } from "typebox";
import { section } from "../../contract/schemas/parts.ts";

/** `deployments`: many deployments in one process. */
export const deploymentOptions = section(
  "Serves many deployments in this process, each with a configuration, a data folder and a key of its own. This file then " +
    "holds only what belongs to the process: `deployments`, `logLevel`, `logging`, `timeZone`, `platform.tls` and `store`.",
  {
    folder: Type.String({
      description:
        "Folder with the configurations, relative to this file: `NAME.yaml` or `NAME/crossdock.yaml` for each deployment. " +
        "A deployment is reached by its `hosts` and its `basePath`; one that sets neither, below `/NAME`.",
      minLength: 1,
    }),
    sleepAfterMinutes: Type.Number({
      description:
        "A deployment is opened by its first request, and closed again when it had none for so many minutes and nothing " +
        "waits in it. One with polls, watched folders or alarm channels stays open.",
      default: 15,
      minimum: 1,
      maximum: 1440,
    }),
    mostOpen: Type.Integer({
      description:
        "How many deployments may be open at the same time; each takes about 40 MB. If one more is needed, the one that was " +
        "not used for the longest time is closed, if nothing waits in it.",
      default: 50,
      minimum: 1,
      maximum: 10_000,
    }),
    weight: Type.Number({
      description:
        "With a store: how many of the deployments that stay open this process owns, compared with the other processes.",
      default: 1,
      minimum: 0.01,
      maximum: 100,
    }),
  },
);

export type DeploymentOptions = Static<typeof deploymentOptions>;
