import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Problem, validator } from "../contract/validator.ts";
import { localise } from "../messages/localise.ts";
import { problemText } from "../sdk/problem-text.ts";
import { checkConfig, didYouMean } from "./check-config.ts";
import type { ConfigDocument } from "./config-document.ts";
import { ConfigError, type ConfigPath, type ConfigProblem, pathText } from "./config-error.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { type ConfigShape, configShape, type UnknownKey, unknownKeys, withDefaults } from "./config-shape.ts";
import { nearestName } from "./nearest-name.ts";
import { type Environment, settings as readSettings, type Settings } from "./settings.ts";

export interface LoadedConfig {
  readonly config: Config;
  readonly settings: Settings;
  /** The file it came from, absolute; null where there is none and all defaults hold. */
  readonly source: string | null;
}

const shape = configShape(configSchema);
const defaultFile = "crossdock.yaml";

/** Reads the configuration file and the environment. Throws a ConfigError that names everything that is wrong. */
export async function loadConfig({
  file,
  env,
  cwd,
}: {
  file?: string | undefined;
  env: Environment;
  cwd: string;
}): Promise<LoadedConfig> {
  const source = configFile({ named: file ?? (env["CROSSDOCK_CONFIG"]?.trim() || undefined), cwd });
  const { settings, problems } = readSettings({ env, cwd, hasConfigFile: source !== null });
  // The default file is well known; everything else is named in full.
  const shownSource = source === resolve(cwd, defaultFile) ? defaultFile : (source ?? "");
  const { config, problems: fileProblems } = await readFile(source, shownSource);
  if (config === undefined || problems.length > 0) throw new ConfigError([...problems, ...fileProblems]);
  return { config, settings, source };
}

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
  const value = withDefaults(shape, document.value ?? {});
  const unknown = unknownKeys(shape, value);
  const unknownFields = new Set(unknown.map(({ path }) => pathText(path)));
  const { isValid, problems } = validator(configSchema);
  const wrong = isValid(value)
    ? []
    : problems(value).filter(({ field, detail }) => detail !== "additionalProperties" && !unknownFields.has(field));
  const problemsSoFar = [
    ...unknown.map((key) => describeUnknown(key, document, source)),
    ...wrong.map((problem) => describe(problem, document, source)),
  ];
  if (problemsSoFar.length > 0) return { problems: inFileOrder(problemsSoFar) };

  // The schema has just said so.
  const config = value as Config;
  const objections = (await checkConfig(config)).map(
    ({ path, text, hint }): ConfigProblem => ({
      source,
      ...document.place(path),
      text: `${pathText(path)}: ${text}`,
      ...(hint === undefined ? {} : { hint }),
    }),
  );
  return objections.length > 0 ? { problems: inFileOrder(objections) } : { config, problems: [] };
}

function describeUnknown({ path, allowed }: UnknownKey, document: ConfigDocument, source: string): ConfigProblem {
  return {
    source,
    ...document.place(path, "key"),
    text: `${pathText(path)}: there is no such setting`,
    hint: `${didYouMean(nearestName(String(path.at(-1)), allowed))}Known here: ${allowed.join(", ")}.`,
  };
}

function describe(problem: Problem, document: ConfigDocument, source: string): ConfigProblem {
  const path = pathOf(problem.field);
  const member = memberAt(path);
  return { source, ...document.place(path), text: sentence(problem, member), ...hintFor(member) };
}

function sentence(problem: Problem, member: ConfigShape | undefined): string {
  const { expected, detail, field, found } = problem;
  if (expected === "valid" && detail === "maximum") return `${field}: must be ${member?.maximum} or less, not ${found}`;
  if (expected === "valid" && detail === "pattern") return `${field}: ${found} does not have the form it needs`;
  return localise(problemText({ ...problem, field: field === "" ? "the file" : field }), "en");
}

function hintFor(member: ConfigShape | undefined): { hint?: string } {
  if (member?.description === undefined) return {};
  const range = member.minimum === undefined ? "" : ` From ${member.minimum} to ${member.maximum ?? "any number"}.`;
  const isPlain = typeof member.default !== "object" && member.default !== undefined && member.default !== "";
  return { hint: member.description + range + (isPlain ? ` Default: ${String(member.default)}.` : "") };
}

const pathOf = (field: string): ConfigPath =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index === undefined ? (name ?? "") : +index));

const memberAt = (path: ConfigPath): ConfigShape | undefined =>
  path.reduce<ConfigShape | undefined>(
    (at, step) => (typeof step === "number" ? at?.items : at?.properties?.[step]),
    shape,
  );

const inFileOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
