import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { validator } from "../contract/validator.ts";
import { checkConfig } from "./check-config.ts";
import type { ConfigDocument } from "./config-document.ts";
import { ConfigError, type ConfigPath, type ConfigProblem, pathText } from "./config-error.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { configShape, unknownKeys, withDefaults } from "./config-shape.ts";
import { describeProblem } from "./describe-problem.ts";
import { type Environment, settings as readSettings, type Settings } from "./settings.ts";

export interface LoadedConfig {
  readonly config: Config;
  readonly settings: Settings;
  /** The file it came from, absolute; null where there is none and all defaults hold. */
  readonly source: string | null;
}

const shape = configShape(configSchema);
const defaultFile = "crossdock.yaml";

/** Options of the command line that stand for a variable, and win over it. */
const variables = { data: "CROSSDOCK_DATA_DIR", host: "HOST", port: "PORT" } as const;
type Options = { readonly [Name in keyof typeof variables]?: string | undefined };

/** Reads the configuration file and the environment. Throws a ConfigError that names everything that is wrong. */
export async function loadConfig({
  file,
  options = {},
  env,
  cwd,
}: {
  file?: string | undefined;
  options?: Options;
  env: Environment;
  cwd: string;
}): Promise<LoadedConfig> {
  const source = configFile({ named: file ?? (env["CROSSDOCK_CONFIG"]?.trim() || undefined), cwd });
  const given = givenOptions(options);
  const { settings, problems } = readSettings({
    env: { ...env, ...Object.fromEntries(given.map(({ variable, value }) => [variable, value])) },
    cwd,
    hasConfigFile: source !== null,
  });
  // A person looks for a mistake where it was made: not in the variable that the option stands for.
  const placed = problems.map((problem) => ({
    ...problem,
    source: given.find(({ variable }) => variable === problem.source)?.option ?? problem.source,
  }));
  // The default file is well known; everything else is named in full.
  const shownSource = source === resolve(cwd, defaultFile) ? defaultFile : (source ?? "");
  const { config, problems: fileProblems } = await readFile(source, shownSource);
  if (config === undefined || placed.length > 0) throw new ConfigError([...placed, ...fileProblems]);
  return { config, settings, source };
}

const givenOptions = (options: Options) =>
  (["data", "host", "port"] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [{ option: `--${name}`, variable: variables[name], value }];
  });

function configFile({ named, cwd }: { named: string | undefined; cwd: string }): string | null {
  const path = resolve(cwd, named ?? defaultFile);
  return named !== undefined || existsSync(path) ? path : null;
}

interface Reading {
  /** Absent where there are problems. */
  readonly config?: Config;
  readonly problems: readonly ConfigProblem[];
}

async function readFile(source: string | null, shownSource: string): Promise<Reading> {
  // The schema's own defaults, so the shape holds.
  if (source === null) return { config: withDefaults(shape, {}) as Config, problems: [] };
  let text: string;
  try {
    text = readFileSync(source, "utf8");
  } catch (error) {
    const hint = "Correct CROSSDOCK_CONFIG (or --config), or unset it to start with the defaults.";
    return { problems: [{ source: shownSource, text: `cannot be read: ${(error as Error).message}`, hint }] };
  }
  // Loaded only here: without a configuration file the start does not pay for the YAML library.
  const { configDocument } = await import("./config-document.ts");
  try {
    return await readDocument(configDocument(text, shownSource), shownSource);
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

async function readDocument(document: ConfigDocument, source: string): Promise<Reading> {
  const value = withoutEndSlash(withDefaults(shape, document.value ?? {}));
  const unknown = unknownKeys(shape, value);
  const unknownFields = new Set(unknown.map(({ path }) => pathText(path)));
  const { isValid, problems } = validator(configSchema);
  const wrong = isValid(value)
    ? []
    : problems(value).filter(({ field, detail }) => detail !== "additionalProperties" && !unknownFields.has(field));
  const wrongFields = [...unknownFields, ...wrong.map(({ field }) => field)];
  const objections = (await checkConfig(value)).filter(({ path }) => !isExplained(path, wrongFields));
  const describe = describeProblem({ document, source, shape });
  const all = [...unknown.map(describe.unknown), ...wrong.map(describe.wrong), ...objections.map(describe.objection)];
  // The schema has just said so.
  return all.length > 0 ? { problems: inFileOrder(all) } : { config: value as Config, problems: [] };
}

/** `/wms/` and `/wms` are one place to a person; routes are made by appending to it. */
function withoutEndSlash(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("basePath" in value)) return value;
  const { basePath } = value;
  const isPath = typeof basePath === "string" && basePath.startsWith("/");
  return isPath ? { ...value, basePath: basePath.replace(/\/+$/, "") } : value;
}

/** Whether what is wrong there, or inside of it, has been said: one mistake is told once. */
const isExplained = (path: ConfigPath, wrongFields: readonly string[]): boolean => {
  const field = pathText(path);
  return wrongFields.some((wrong) => wrong === field || wrong.startsWith(`${field}.`) || wrong.startsWith(`${field}[`));
};

const inFileOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
