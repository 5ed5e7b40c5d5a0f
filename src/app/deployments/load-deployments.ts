import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError, type ConfigProblem } from "../../config/document/config-error.ts";
import { dotEnv } from "../../config/document/resolve-text.ts";
import { defaultFile, type LoadedConfig, loadConfig } from "../../config/load-config.ts";
import { fileStamp } from "../../config/secrets/follow-secrets.ts";
import type { Environment } from "../../config/settings.ts";
import {
  keyVariables,
  nameProblem,
  ofProcess,
  sameAddresses,
  sameKeys,
  sameNames,
  unsuitable,
  unsuitableVariables,
  withoutKey,
} from "./deployment-problems.ts";

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
