import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { validator } from "../contract/validate/validator.ts";
import type { Offer } from "../sdk/connector.ts";
import { checkConfig } from "./checks/check-config.ts";
import { checkOffers } from "./checks/check-references.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { type ConfigDocument, describeProblem } from "./document/config-document.ts";
import { ConfigError, type ConfigPath, type ConfigProblem, type Objection, pathText } from "./document/config-error.ts";
import { configShape, isPlainObject, unknownKeys, withDefaults } from "./document/config-shape.ts";
import { dotEnv, redactor, type Surroundings } from "./document/resolve-text.ts";
import { type Environment, settings as readSettings, type Settings } from "./settings.ts";
import type { OldSpelling } from "./upgrade/upgrade-text.ts";

/** A configuration that was read and checked, with the settings of the environment. */
export interface LoadedConfig {
  readonly config: Config;
  readonly settings: Settings;
  /** The file it came from, absolute; null where there is none and all defaults hold. */
  readonly source: string | null;
  /** Puts what is found out later, when connectors are open, where it stands in the file. */
  readonly describe: (objections: readonly Objection[]) => readonly ConfigProblem[];
  /** Takes out of a text what the configuration got from the environment or from files. */
  readonly redact: (text: string) => string;
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
  env: outside,
  cwd,
  withoutSecrets = false,
}: {
  file?: string | undefined;
  options?: Options;
  env: Environment;
  cwd: string;
  /** Looks at the file alone: what it refers to in the environment or in files need not be there. */
  withoutSecrets?: boolean;
}): Promise<LoadedConfig> {
  const near = { ...dotEnv(cwd), ...outside };
  const source = configFile({ named: file ?? (near["CROSSDOCK_CONFIG"]?.trim() || undefined), cwd });
  // What the process was started with wins over files, and the file of the folder one stands in over that of the configuration.
  const env = source === null || dirname(source) === cwd ? near : { ...dotEnv(dirname(source)), ...near };
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
  const folder = source === null ? cwd : dirname(source);
  const reading = await readFile(source, shownSource, { env, folder, withoutSecrets });
  const { config, describe, redact } = reading;
  if (config === undefined || placed.length > 0) throw new ConfigError([...placed, ...reading.problems]);
  return { config, settings, source, describe, redact };
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
  readonly describe: LoadedConfig["describe"];
  readonly redact: (text: string) => string;
}

/** For a configuration that did not come from a file. */
export const plainDescription: LoadedConfig["describe"] = (objections) =>
  objections.map(({ path, text, hint }) => ({
    source: "the configuration",
    text: `${pathText(path)}: ${text}`,
    ...(hint === undefined ? {} : { hint }),
  }));
const withoutFile = { redact: (text: string) => text, describe: plainDescription };

async function readFile(source: string | null, shownSource: string, surroundings: Surroundings): Promise<Reading> {
  // The schema's own defaults, so the shape holds.
  if (source === null) return { config: withDefaults(shape, {}) as Config, problems: [], ...withoutFile };
  let text: string;
  try {
    text = readFileSync(source, "utf8");
  } catch (error) {
    const hint = "Correct CROSSDOCK_CONFIG (or --config), or unset it to start with the defaults.";
    const problem = { source: shownSource, text: `cannot be read: ${(error as Error).message}`, hint };
    return { problems: [problem], ...withoutFile };
  }
  // Loaded only here: without a configuration file the start does not pay for the YAML library.
  const [{ configDocument }, { upgradeText }] = await Promise.all([
    import("./document/config-document.ts"),
    import("./upgrade/upgrade-text.ts"),
  ]);
  try {
    const document = configDocument(text, shownSource);
    const upgraded = upgradeText(text);
    const old = upgraded.found.map((spelling) => oldSpelling(spelling, shownSource));
    // Read on in the new spelling, so that every other mistake is told too.
    const current = old.length === 0 ? document : configDocument(upgraded.text, shownSource);
    const reading = await readDocument(current, shownSource, surroundings);
    return old.length === 0 ? reading : { ...withoutFile, problems: inFileOrder([...old, ...reading.problems]) };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, ...withoutFile };
    throw error;
  }
}

const oldSpelling = ({ path, line, column, instead }: OldSpelling, source: string): ConfigProblem => ({
  source,
  line,
  column,
  text: `${path}: this is an old spelling`,
  hint: `Write ${instead}, or let \`crossdock config upgrade\` rewrite the file.`,
});

async function readDocument(document: ConfigDocument, source: string, surroundings: Surroundings): Promise<Reading> {
  const filled = withoutEndSlash(withDefaults(shape, withoutSchema(document.value ?? {})));
  const connected = await withConnectors(filled, surroundings);
  const forwarding = await withForward(connected.value, surroundings);
  const proven = await withSenders(forwarding.value, surroundings);
  const watched = await withAlarms(proven.value, surroundings);
  const { value } = watched;
  const secrets = [...connected.secrets, ...forwarding.secrets, ...proven.secrets, ...watched.secrets];
  const optionObjections = [
    ...connected.objections,
    ...forwarding.objections,
    ...proven.objections,
    ...watched.objections,
  ];
  const unknown = unknownKeys(shape, value);
  const unknownFields = new Set(unknown.map(({ path }) => pathText(path)));
  const { isValid, problems } = validator(configSchema);
  const wrong = isValid(value)
    ? []
    : problems(value).filter(({ field, detail }) => detail !== "additionalProperties" && !unknownFields.has(field));
  const wrongFields = [...unknownFields, ...wrong.map(({ field }) => field)];
  const isBound = connected.offers.size > 0 && !wrongFields.some((field) => /^(serve|events)\b/.test(field));
  // Both have just been found to be as the schema wants them.
  const bindings = isBound ? checkOffers(value as Pick<Config, "serve" | "events">, connected.offers) : [];
  const isForgiven = ({ lacksSecret }: Objection) => lacksSecret === true && surroundings.withoutSecrets === true;
  const objections = [...(await checkConfig(value)), ...optionObjections, ...bindings].filter(
    (objection) => !isExplained(objection.path, wrongFields) && !isForgiven(objection),
  );
  const redact = redactor(secrets);
  const words = describeProblem({ document, source, shape });
  const describe = (found: readonly Objection[]) => inFileOrder(found.map(words.objection)).map(clean(redact));
  const all = [...unknown.map(words.unknown), ...wrong.map(words.wrong), ...objections.map(words.objection)];
  if (all.length > 0) return { problems: inFileOrder(all).map(clean(redact)), describe, redact };
  // The schema has just said so.
  return { config: value as Config, problems: [], describe, redact };
}

const clean =
  (redact: (text: string) => string) =>
  ({ hint, ...problem }: ConfigProblem): ConfigProblem => ({
    ...problem,
    text: redact(problem.text),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
  });

/** With the options of its connectors as they are opened. */
async function withConnectors(value: unknown, surroundings: Surroundings) {
  const given = isPlainObject(value) ? value["connectors"] : undefined;
  if (!isPlainObject(value) || !isPlainObject(given) || Object.keys(given).length === 0) {
    return { value, secrets: [], objections: [], offers: new Map<string, Offer>() };
  }
  // Loaded only where there are any: the catalogue brings every connector's options along.
  const { readConnectors } = await import("./checks/check-connectors.ts");
  const { connectors, secrets, objections, offers } = await readConnectors(given, surroundings);
  return { value: { ...value, connectors }, secrets, objections, offers };
}

/** With the requests to the platform's interface as they are opened. */
async function withForward(value: unknown, surroundings: Surroundings) {
  const platform = isPlainObject(value) ? value["platform"] : undefined;
  const given = isPlainObject(platform) ? platform["forward"] : undefined;
  if (!isPlainObject(value) || !isPlainObject(platform) || !isPlainObject(given) || Object.keys(given).length === 0) {
    return { value, secrets: [], objections: [] };
  }
  // Loaded only where something is sent on: it brings a connector's options along.
  const { readForward } = await import("./checks/check-forward.ts");
  const { forward, secrets, objections } = await readForward(given, surroundings);
  return { value: { ...value, platform: { ...platform, forward } }, secrets, objections };
}

/** With the secrets of senders and of the platform in place. */
async function withSenders(value: unknown, surroundings: Surroundings) {
  if (!isPlainObject(value)) return { value, secrets: [], objections: [] };
  const { readSenders } = await import("./checks/check-senders.ts");
  return readSenders(value, surroundings);
}

/** With the secrets of those who are told of alarms. */
async function withAlarms(value: unknown, surroundings: Surroundings) {
  if (!isPlainObject(value)) return { value, secrets: [], objections: [] };
  const { readAlarms } = await import("./sections/read-alarms.ts");
  return readAlarms(value, surroundings);
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (!isPlainObject(value) || !Object.hasOwn(value, "$schema")) return value;
  const { $schema: _forEditors, ...rest } = value;
  return rest;
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
