import { join } from "node:path";
import type { ConfigProblem } from "../../config/document/config-error.ts";
import { dotEnv } from "../../config/document/resolve-text.ts";
import type { LoadedConfig } from "../../config/load-config.ts";

interface Named {
  readonly name: string;
  readonly file: string;
}

interface Described extends Named {
  readonly loaded: LoadedConfig;
}

/** Variables that say where the process runs. A deployment may have none of them, but it may have a key of its own. */
export const ofProcess = [
  "PORT",
  "HOST",
  "CROSSDOCK_CONFIG",
  "CROSSDOCK_DATA_DIR",
  "CROSSDOCK_SAMPLE",
  "CROSSDOCK_STORE",
  "CROSSDOCK_STORE_FILE",
  "CROSSDOCK_ADVERTISE",
];
export const keyVariables = ["CROSSDOCK_API_KEY", "CROSSDOCK_API_KEY_FILE"];
/** The routes of the process itself. */
export const processPath = "/deployments";

const nameForm = /^(?!\.)[A-Za-z0-9._-]{1,64}$/;

export const nameProblem = (name: string, source: string): ConfigProblem | null =>
  nameForm.test(name)
    ? null
    : {
        source,
        text: `${JSON.stringify(name)} cannot be the name of a deployment`,
        hint: "At most 64 letters, digits, dots, dashes and underscores, not beginning with a dot.",
      };

/** Reports settings that a deployment must not have, because it shares the listener and the store of the process. */
export function unsuitable(name: string, source: string, { config, describe }: LoadedConfig): readonly ConfigProblem[] {
  const isReserved = new RegExp(`^${processPath}(/|$)`, "i").test(config.basePath);
  return describe([
    ...(config.platform.tls === undefined
      ? []
      : [
          {
            path: ["platform", "tls"],
            text: "a deployment has no certificates of its own",
            hint: "Set platform.tls in the configuration of the process: it serves all deployments.",
          },
        ]),
    ...(config.store === undefined
      ? []
      : [{ path: ["store"], text: "a deployment among others has no store of its own", hint: "Remove it." }]),
    ...(config.deployments === undefined
      ? []
      : [{ path: ["deployments"], text: "a deployment cannot have deployments itself", hint: "Remove it." }]),
    ...(isReserved
      ? [{ path: ["basePath"], text: `${processPath} belongs to the process`, hint: "Choose another base path." }]
      : []),
    ...(config.deployment === "default" || config.deployment === name
      ? []
      : [
          {
            path: ["deployment"],
            text: `the name of this deployment is ${name}, after its file ${source}`,
            hint: `Rename the file, or write ${name}.`,
          },
        ]),
  ]);
}

/** Reports variables beside the configuration, such as a port or a data folder, that would have no effect. */
export function unsuitableVariables(folder: string): ConfigProblem[] {
  const given = dotEnv(folder);
  return ofProcess
    .filter((name) => (given[name] ?? "") !== "")
    .map((name) => ({
      source: join(folder, ".env"),
      text: `${name} belongs to the process, not to a deployment`,
      hint: "Remove it; the process listens for all deployments and holds their data folders.",
    }));
}

/**
 * Reports deployments with the same name, also if only the letter case differs: some file systems would give both the
 * same data folder.
 */
export function sameNames(files: readonly Named[]): ConfigProblem[] {
  return repeated(files, ({ name }) => [name.toLowerCase()]).map(([one, other]) => ({
    source: one.file,
    text: `the deployment ${one.name} is also described by ${other.file}`,
    hint: "Rename one of them, or remove it.",
  }));
}

export function sameAddresses(deployments: readonly Described[]): ConfigProblem[] {
  const addresses = ({ loaded: { config } }: Described) =>
    (config.hosts ?? ["any host name"]).map((host) => `${host.toLowerCase()}, ${config.basePath.toLowerCase() || "/"}`);
  return repeated(deployments, addresses).map(([one, other, address]) => ({
    source: one.file,
    text: `it has the same address as ${other.file} (${address})`,
    hint: "Give each deployment a `basePath` or `hosts` of its own.",
  }));
}

/** Reports deployments with the same key: whoever may push to one could read the other. */
export function sameKeys(deployments: readonly Described[]): ConfigProblem[] {
  return repeated(deployments, ({ loaded: { settings } }) => settings.apiKey ?? []).map(([one, other]) => ({
    source: one.file,
    text: `it has the same API key as ${other.file}`,
    hint: `Set ${keyVariables[0]} in a file .env beside each configuration, in a folder of its own, or leave it out: keys are generated.`,
  }));
}

export const withoutKey = (deployments: readonly Described[]): ConfigProblem[] =>
  deployments
    .filter(({ loaded: { settings } }) => settings.apiKey === undefined)
    .map(({ file }) => ({
      source: file,
      text: "with a store in PostgreSQL, a deployment needs a given API key: all processes must have the same",
      hint: `Set ${keyVariables[0]} in a file .env beside the configuration, in a folder of its own, on every machine.`,
    }));

/** Returns each element that shares something with an earlier one, that earlier one, and what they share. */
function repeated<One extends Named>(
  all: readonly One[],
  of: (one: One) => string | readonly string[],
): [one: One, other: One, what: string][] {
  const seen = new Map<string, One>();
  return all.flatMap((one) =>
    [of(one)].flat().flatMap((what): [One, One, string][] => {
      const other = seen.get(what);
      if (other !== undefined && other !== one) return [[one, other, what]];
      seen.set(what, one);
      return [];
    }),
  );
}
