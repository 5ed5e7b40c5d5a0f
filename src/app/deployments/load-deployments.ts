import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError, type ConfigProblem } from "../../config/document/config-error.ts";
import { dotEnv } from "../../config/document/resolve-text.ts";
import { defaultFile, type LoadedConfig, loadConfig } from "../../config/load-config.ts";
import { fileStamp } from "../../config/secrets/follow-secrets.ts";
import type { Environment } from "../../config/settings.ts";

/** One deployment of the process, as its configuration describes it. */
export interface Deployment {
  readonly name: string;
  /** The absolute path of its configuration. */
  readonly file: string;
  /** A fingerprint that changes with the text of its configuration and with its secret files. */
  readonly fingerprint: string;
  readonly loaded: LoadedConfig;
}

export interface DeploymentsNeeds {
  /** The configuration with `deployments`. */
  readonly source: string;
  readonly folder: string;
  readonly dataFolder: string;
  readonly env: Environment;
  readonly cwd: string;
  /** If true, environment variables and files that the configurations refer to may be missing. */
  readonly withoutSecrets?: boolean;
  /** Whether other processes serve the same deployments. They would not know a key that is generated here. */
  readonly isShared?: boolean;
}

/** Variables that say where the process runs. A deployment may have none of them, but it may have a key of its own. */
const ofProcess = [
  "PORT",
  "HOST",
  "CROSSDOCK_CONFIG",
  "CROSSDOCK_DATA_DIR",
  "CROSSDOCK_SAMPLE",
  "CROSSDOCK_STORE",
  "CROSSDOCK_STORE_FILE",
  "CROSSDOCK_ADVERTISE",
];
const keyVariables = ["CROSSDOCK_API_KEY", "CROSSDOCK_API_KEY_FILE"];
const nameForm = /^(?!\.)[A-Za-z0-9._-]{1,64}$/;
/** The routes of the process itself. */
export const processPath = "/deployments";

/** Reads all configurations of the folder. Opens nothing; throws a ConfigError with everything that is wrong. */
export async function loadDeployments(needs: DeploymentsNeeds): Promise<Deployment[]> {
  const folder = resolve(dirname(needs.source), needs.folder);
  const problems: ConfigProblem[] = [];
  const deployments: Deployment[] = [];
  const files = configurationsIn(folder);
  const env = environmentFor(needs);
  if (files.length === 0) {
    problems.push({
      source: folder,
      text: "there is no configuration in this folder",
      hint: `Write NAME.yaml or NAME/${defaultFile} for each deployment.`,
    });
  }
  for (const { name, file } of files) {
    const wrong = nameProblem(name, file);
    if (wrong !== null) {
      problems.push(wrong);
      continue;
    }
    try {
      const { dataFolder, withoutSecrets = false } = needs;
      deployments.push(await loadDeployment({ name, file, dataFolder, env, withoutSecrets }));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
  }
  problems.push(...sameNames(files), ...sameAddresses(deployments), ...sameKeys(deployments));
  if (needs.isShared === true) problems.push(...withoutKey(deployments));
  if (problems.length > 0) throw new ConfigError(problems);
  return deployments;
}

/** Returns the environment variables that every deployment may use. */
export function environmentFor({ env, cwd }: Pick<DeploymentsNeeds, "env" | "cwd">): Environment {
  const own = [...ofProcess, ...keyVariables];
  return Object.fromEntries(Object.entries({ ...dotEnv(cwd), ...env }).filter(([name]) => !own.includes(name)));
}

export interface OneDeployment {
  readonly name: string;
  readonly file: string;
  readonly dataFolder: string;
  readonly env: Environment;
  /** A text to read instead of the file. */
  readonly text?: string | undefined;
  readonly withoutSecrets?: boolean;
}

export async function loadDeployment(needs: OneDeployment): Promise<Deployment> {
  const { name, file, dataFolder, env, text, withoutSecrets = false } = needs;
  const folder = dirname(file);
  const loaded = await loadConfig({
    ...{ file, env, cwd: folder, text, withoutSecrets },
    options: { data: join(dataFolder, "deployments", name) },
  });
  const problems = [...unsuitable(name, file, loaded), ...unsuitableVariables(folder)];
  if (problems.length > 0) throw new ConfigError(problems);
  const { config } = loaded;
  const basePath = config.basePath === "" && config.hosts === undefined ? `/${name}` : config.basePath;
  return {
    ...{ name, file },
    fingerprint: text === undefined ? fingerprintOf(file, loaded.secretSources.files) : "",
    loaded: { ...loaded, config: { ...config, basePath, deployment: name } },
  };
}

/**
 * Returns a fingerprint of a configuration and its secret files, which changes when one of them changes; empty if it
 * cannot be read.
 */
export function fingerprintOf(file: string, secretFiles: readonly string[]): string {
  try {
    const hash = createHash("sha256").update(readFileSync(file));
    for (const secret of secretFiles) hash.update(`\n${fileStamp(secret)}`);
    return hash.digest("hex");
  } catch {
    return "";
  }
}

function configurationsIn(folder: string): { readonly name: string; readonly file: string }[] {
  let entries: ReturnType<typeof list>;
  try {
    entries = list(folder);
  } catch (error) {
    const hint = "Correct deployments.folder; it is relative to the configuration file.";
    throw new ConfigError([{ source: folder, text: `cannot be read: ${(error as Error).message}`, hint }]);
  }
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      const plain = /^(?<name>[^.].*)\.ya?ml$/.exec(entry.name)?.groups?.["name"];
      if (plain !== undefined && !entry.isDirectory()) return [{ name: plain, file: path }];
      const inside = join(path, defaultFile);
      return entry.isDirectory() && existsSync(inside) ? [{ name: entry.name, file: inside }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const list = (folder: string) => readdirSync(folder, { withFileTypes: true });

const nameProblem = (name: string, source: string): ConfigProblem | null =>
  nameForm.test(name)
    ? null
    : {
        source,
        text: `${JSON.stringify(name)} cannot be the name of a deployment`,
        hint: "At most 64 letters, digits, dots, dashes and underscores, not beginning with a dot.",
      };

/** Reports settings that a deployment must not have, because it shares the listener and the store of the process. */
function unsuitable(name: string, source: string, { config, describe }: LoadedConfig): readonly ConfigProblem[] {
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
function unsuitableVariables(folder: string): ConfigProblem[] {
  const given = dotEnv(folder);
  return ofProcess
    .filter((name) => (given[name] ?? "") !== "")
    .map((name) => ({
      source: join(folder, ".env"),
      text: `${name} belongs to the process, not to a deployment`,
      hint: "Remove it; the process listens for all deployments and holds their data folders.",
    }));
}

type Named = { readonly name: string; readonly file: string };

/**
 * Reports deployments with the same name, also if only the letter case differs: some file systems would give both the
 * same data folder.
 */
function sameNames(files: readonly Named[]): ConfigProblem[] {
  return repeated(files, ({ name }) => [name.toLowerCase()]).map(([one, other]) => ({
    source: one.file,
    text: `the deployment ${one.name} is also described by ${other.file}`,
    hint: "Rename one of them, or remove it.",
  }));
}

function sameAddresses(deployments: readonly Deployment[]): ConfigProblem[] {
  const addresses = ({ loaded: { config } }: Deployment) =>
    (config.hosts ?? ["any host name"]).map((host) => `${host.toLowerCase()}, ${config.basePath.toLowerCase() || "/"}`);
  return repeated(deployments, addresses).map(([one, other, address]) => ({
    source: one.file,
    text: `it has the same address as ${other.file} (${address})`,
    hint: "Give each deployment a `basePath` or `hosts` of its own.",
  }));
}

/** Reports deployments with the same key: whoever may push to one could read the other. */
function sameKeys(deployments: readonly Deployment[]): ConfigProblem[] {
  return repeated(deployments, ({ loaded: { settings } }) => settings.apiKey ?? []).map(([one, other]) => ({
    source: one.file,
    text: `it has the same API key as ${other.file}`,
    hint: `Set ${keyVariables[0]} in a file .env beside each configuration, in a folder of its own, or leave it out: keys are generated.`,
  }));
}

const withoutKey = (deployments: readonly Deployment[]): ConfigProblem[] =>
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
