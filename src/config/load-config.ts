import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Validator, validator } from "../contract/validate/validator.ts";
import { NotUtf8, readText } from "../kit/files/read-text.ts";
import { errorCode } from "../kit/narrow.ts";
import type { Message } from "../messages/message.ts";
import { checkConfig } from "./checks/check-config.ts";
import { checkOffers } from "./checks/check-references.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { type ConfigDocument, describeProblem } from "./document/config-document.ts";
import {
  ConfigError,
  type ConfigProblem,
  inFileOrder,
  isExplained,
  type Objection,
  pathText,
} from "./document/config-error.ts";
import { configShape, unknownKeys, withDefaults, withoutEndSlash, withoutSchema } from "./document/config-shape.ts";
import { dotEnv, redactor, type Surroundings } from "./document/resolve-text.ts";
import { resolveSections } from "./resolve-sections.ts";
import { fileStamp, noSecretSources, type SecretSources } from "./secrets/follow-secrets.ts";
import { commandTextsIn, type SecretCommands, secretCommands } from "./secrets/secret-commands.ts";
import { type Environment, settings as readSettings, type Settings } from "./settings.ts";
import type { OldSpelling } from "./upgrade/upgrade-text.ts";

/** A loaded and checked configuration, with the settings of the environment. */
export interface LoadedConfig {
  readonly config: Config;
  readonly settings: Settings;
  /** Absolute path of the file; null if there is none and all defaults apply. */
  readonly source: string | null;
  /** Adds file positions to problems that are found later, when connectors are open. */
  readonly describe: (objections: readonly Objection[]) => readonly ConfigProblem[];
  /** Masks in a text the values that the configuration got from the environment or from files. */
  readonly redact: (text: string) => string;
  /** These values. */
  readonly secrets: readonly string[];
  /** The files and commands that these values came from. */
  readonly secretSources: SecretSources;
}

const shape = configShape(configSchema);
/**
 * Compiled once, because a process may load hundreds of configurations. Compiled on first use, so that other commands
 * do not pay for it.
 */
let configValidator: Validator | null = null;
export const defaultFile = "crossdock.yaml";

/** Command-line options that correspond to a variable, and take precedence over it. */
const variables = { data: "CROSSDOCK_DATA_DIR", host: "HOST", port: "PORT" } as const;
type Options = { readonly [Name in keyof typeof variables]?: string | undefined };

export interface LoadOptions {
  readonly file?: string | undefined;
  readonly options?: Options;
  readonly env: Environment;
  readonly cwd: string;
  /** Checks only the file: the variables and files that it refers to may be missing. */
  readonly withoutSecrets?: boolean;
  /** Used instead of the file's content, to check a change before it is written. */
  readonly text?: string | undefined;
  /** Runs commands that print secrets. */
  readonly commands?: SecretCommands;
}

/** Reads the configuration file and the environment. Throws a ConfigError that lists every problem. */
export async function loadConfig({
  file,
  options = {},
  env: outside,
  cwd,
  withoutSecrets = false,
  text,
  commands = secretCommands(outside),
}: LoadOptions): Promise<LoadedConfig> {
  const near = { ...dotEnv(cwd), ...outside };
  const named = file ?? (near["CROSSDOCK_CONFIG"]?.trim() || undefined);
  const source = configFile({ named, cwd, isGiven: text !== undefined });
  // Process variables take precedence over files, and `.env` of the working directory over `.env` of the
  // configuration's folder.
  const env = source === null || dirname(source) === cwd ? near : { ...dotEnv(dirname(source)), ...near };
  const given = givenOptions(options);
  const { settings, problems } = readSettings({
    env: { ...env, ...Object.fromEntries(given.map(({ variable, value }) => [variable, value])) },
    cwd,
    hasConfigFile: source !== null,
  });
  // Names the option that was typed, not the variable it corresponds to.
  const placed = problems.map((problem) => ({
    ...problem,
    source: given.find(({ variable }) => variable === problem.source)?.option ?? problem.source,
  }));
  // The default file is shown by name, any other by its full path.
  const shownSource = source === resolve(cwd, defaultFile) ? defaultFile : (source ?? "");
  const folder = source === null ? cwd : dirname(source);
  const reading = await readFile({ source, shownSource, text }, { env, folder, withoutSecrets, commands });
  const { config, describe, redact, secrets, secretSources } = reading;
  if (config === undefined || placed.length > 0) throw new ConfigError([...placed, ...reading.problems]);
  return { config, settings, source, describe, redact, secrets, secretSources };
}

const givenOptions = (options: Options) =>
  (["data", "host", "port"] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [{ option: `--${name}`, variable: variables[name], value }];
  });

function configFile({ named, cwd, isGiven }: { named: string | undefined; cwd: string; isGiven: boolean }) {
  const path = resolve(cwd, named ?? defaultFile);
  return named !== undefined || isGiven || existsSync(path) ? path : null;
}

interface Reading {
  /** Absent if there are problems. */
  readonly config?: Config;
  readonly problems: readonly ConfigProblem[];
  readonly describe: LoadedConfig["describe"];
  readonly redact: (text: string) => string;
  readonly secrets: readonly string[];
  readonly secretSources: SecretSources;
}

type ReadingNeeds = Pick<Surroundings, "env" | "folder" | "withoutSecrets"> & { readonly commands: SecretCommands };

/** For a configuration that did not come from a file. */
export const plainDescription: LoadedConfig["describe"] = (objections) =>
  objections.map(({ path, text, hint }) => ({
    source: "the configuration",
    text: `${pathText(path)}: ${text}`,
    ...(hint === undefined ? {} : { hint }),
  }));
const withoutFile = {
  redact: (text: string) => text,
  secrets: [],
  describe: plainDescription,
  secretSources: noSecretSources,
};

const saveAsUtf8 = "Save it as UTF-8: the letters of this line would be read as other ones.";

async function readFile(
  { source, shownSource, text: given }: { source: string | null; shownSource: string; text: string | undefined },
  needs: ReadingNeeds,
): Promise<Reading> {
  // The defaults of the schema itself, so the type is right.
  if (source === null) return { config: withDefaults(shape, {}) as Config, problems: [], ...withoutFile };
  let text: string;
  try {
    text = given ?? readText(source);
  } catch (error) {
    if (error instanceof NotUtf8) {
      const problem = { source: shownSource, line: error.line, text: "the file is not in UTF-8", hint: saveAsUtf8 };
      return { problems: [problem], ...withoutFile };
    }
    const hint = isForbidden(error)
      ? "Let this user read it, or run the command as the adapter's user."
      : "Correct CROSSDOCK_CONFIG (or --config), or remove it to start with the defaults.";
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
    const upgraded = upgradeText(text, document.parsed);
    const old = upgraded.found.map((spelling) => oldSpelling(spelling, shownSource));
    // Continues with the new spelling, so that every other mistake is reported too.
    const current = old.length === 0 ? document : configDocument(upgraded.text, shownSource);
    const reading = await readDocument(current, shownSource, needs);
    return old.length === 0 ? reading : { ...withoutFile, problems: inFileOrder([...old, ...reading.problems]) };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, ...withoutFile };
    throw error;
  }
}

const isForbidden = (error: unknown) => ["EACCES", "EPERM"].includes(String(errorCode(error)));

const oldSpelling = ({ path, line, column, instead }: OldSpelling, source: string): ConfigProblem => ({
  source,
  line,
  column,
  text: `${path}: this is an old spelling`,
  hint: `Write ${instead}, or let \`crossdock config upgrade\` rewrite the file.`,
});

async function readDocument(document: ConfigDocument, source: string, needs: ReadingNeeds): Promise<Reading> {
  const { commands, ...near } = needs;
  const texts = near.withoutSecrets === true ? [] : commandTextsIn(document.value);
  const answers = await commands.read(texts);
  const files = new Map<string, string>();
  // Before the file is read: if it is replaced at this moment, it has another stamp afterwards.
  const onFile = (path: string) => void (files.has(path) || files.set(path, fileStamp(path)));
  const surroundings: Surroundings = { ...near, answers, onFile };
  const filled = withoutEndSlash(withDefaults(shape, withoutSchema(document.value ?? {})));
  const { value, offers, secrets, objections: optionObjections } = await resolveSections(filled, surroundings);
  const unknown = unknownKeys(shape, value);
  const unknownFields = new Set(unknown.map(({ path }) => pathText(path)));
  configValidator ??= validator(configSchema);
  const { isValid, problems } = configValidator;
  // The placeholder for the missing value fails the schema; that is no further problem of the file.
  const missing = new Set(optionObjections.filter(({ lacksSecret }) => lacksSecret).map(({ path }) => pathText(path)));
  const wrong = isValid(value)
    ? []
    : problems(value).filter(({ field }) => !unknownFields.has(field) && !missing.has(field));
  const wrongFields = [...unknownFields, ...wrong.map(({ field }) => field)];
  const isBound = offers.size > 0 && !wrongFields.some((field) => /^(serve|events)\b/.test(field));
  // Both were just checked against the schema.
  const bindings = isBound ? checkOffers(value as Pick<Config, "serve" | "events">, offers) : [];
  const isForgiven = ({ lacksSecret }: Objection) => lacksSecret === true && surroundings.withoutSecrets === true;
  const objections = [...(await checkConfig(value)), ...optionObjections, ...bindings].filter(
    (objection) => !isExplained(objection.path, wrongFields) && !isForgiven(objection),
  );
  const redact = redactor(secrets);
  const words = describeProblem({ document, source, shape });
  const describe = (found: readonly Objection[]) => inFileOrder(found.map(words.objection)).map(clean(redact));
  const all = [...unknown.map(words.unknown), ...wrong.map(words.wrong), ...objections.map(words.objection)];
  const printed = [...answers].flatMap(([name, one]) => ("text" in one ? [[name, one.text] as const] : []));
  const secretSources = { files: [...files.keys()], commands: texts, asRead: new Map([...files, ...printed]) };
  const outside = { redact, secrets, secretSources };
  if (all.length > 0) return { problems: inFileOrder(all).map(clean(redact)), describe, ...outside };
  // Just checked against the schema.
  return { config: value as Config, problems: [], describe, ...outside };
}

const clean =
  (redact: (text: string) => string) =>
  ({ hint, message, ...problem }: ConfigProblem): ConfigProblem => ({
    ...problem,
    text: redact(problem.text),
    ...(message === undefined ? {} : { message: { ...message, values: redactedValues(message.values, redact) } }),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
  });

const redactedValues = (values: Message["values"], redact: (text: string) => string): Message["values"] =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? redact(value) : value]),
  );
