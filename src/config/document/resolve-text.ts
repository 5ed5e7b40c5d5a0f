import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { readText } from "../../kit/files/read-text.ts";
import { longestOf, type MaskSecrets } from "../../operation/record-sent.ts";
import { isSecretName } from "../../operation/secrets/secret-names.ts";
import { writtenForms } from "../../operation/secrets/written-forms.ts";
import type { SecretAnswers } from "../secrets/secret-commands.ts";
import type { Environment } from "../settings.ts";
import { isAddressPart } from "./address-part.ts";
import type { ConfigPath, Objection } from "./config-error.ts";

export interface Surroundings {
  readonly env: Environment;
  /** The folder of the configuration file, for relative paths. */
  readonly folder: string;
  /** If set, missing secrets are not an error. */
  readonly withoutSecrets?: boolean;
  /** What the configured commands have printed. */
  readonly answers?: SecretAnswers;
  /** Called with the absolute path of each file that a value is read from, before it is read. */
  readonly onFile?: (path: string) => void;
}

export interface Resolved {
  readonly value: unknown;
  /** Values from outside the file that are no mere addresses; they must not appear in any output. */
  readonly secrets: readonly string[];
  /** The paths of all values from outside the file. */
  readonly paths: readonly ConfigPath[];
  readonly objections: readonly Objection[];
}

const maxSecretBytes = 1024 * 1024;

/**
 * Every text below `value` can contain `${NAME}`, an environment variable, or be `file:` and the path of a file with
 * the value, `credential:` and the name of a credential of systemd, or `exec:` and a command that prints it. `$${` is a
 * literal `${`.
 */
export function resolveTexts(value: unknown, path: ConfigPath, surroundings: Surroundings): Resolved {
  const secrets: string[] = [];
  const paths: ConfigPath[] = [];
  const objections: Objection[] = [];

  const text = (given: string, at: ConfigPath): string => {
    try {
      const resolved = resolveText(given, surroundings, at.at(-1) === "baseUrl");
      secrets.push(...resolved.secrets);
      if (resolved.isFromOutside) paths.push(at);
      return resolved.text;
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      objections.push({
        path: at,
        text: error.message,
        hint: error.hint,
        ...(error.lacksSecret ? { lacksSecret: true } : {}),
      });
      return given;
    }
  };
  const walk = (one: unknown, at: ConfigPath): unknown => {
    if (typeof one === "string") return text(one, at);
    if (Array.isArray(one)) return one.map((element, index) => walk(element, [...at, index]));
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, walk(member, [...at, name])]));
  };
  return { value: walk(value, path), secrets, paths, objections };
}

interface ResolvedText {
  readonly text: string;
  readonly secrets: readonly string[];
  readonly isFromOutside: boolean;
}

const secretText = (text: string): ResolvedText => ({ text, secrets: [text], isFromOutside: true });

function resolveText(given: string, surroundings: Surroundings, isBase: boolean): ResolvedText {
  if (given.startsWith("file:")) return fromFile(given, surroundings);
  if (given.startsWith("credential:")) return fromCredential(given.slice("credential:".length), surroundings);
  if (given.startsWith("exec:")) return fromCommand(given, surroundings);
  return fromEnvironment(given, surroundings, isBase);
}

class Unresolved extends Error {
  readonly hint: string;
  readonly lacksSecret: boolean;
  constructor(message: string, hint: string, lacksSecret = false) {
    super(message);
    this.hint = hint;
    this.lacksSecret = lacksSecret;
  }
}

function fromEnvironment(given: string, { env }: Surroundings, isBase: boolean): ResolvedText {
  const values: { readonly value: string; readonly before: string }[] = [];
  const text = given.replace(/\$\$\{|\$\{([^}]*)\}?/g, (found, name: string | undefined, at: number) => {
    if (name === undefined) return "${";
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || !found.endsWith("}")) {
      // In an expression, the same characters mean grouping by a key.
      if (given.startsWith("=")) return found;
      throw new Unresolved(
        `${found} does not name an environment variable`,
        "Write a name of letters, digits and _ in the braces; for a literal ${ double the dollar sign.",
      );
    }
    const value = env[name];
    if (value === undefined || value === "") {
      throw new Unresolved(
        `the environment variable ${name} is not set`,
        `Set ${name} before the start or in a file .env, or keep the value in a file and write file:/path/to/it.`,
        true,
      );
    }
    values.push({ value, before: given.slice(0, at) });
    return value;
  });
  const secrets = values.filter((one) => !isAddressPart({ ...one, text, isBase })).map(({ value }) => value);
  return { text, secrets, isFromOutside: values.length > 0 };
}

function fromFile(given: string, surroundings: Surroundings): ResolvedText {
  const hint = "Write file: and the path of a readable file; relative paths start at the configuration's folder.";
  try {
    const path = given.startsWith("file://")
      ? fileURLToPath(given)
      : resolve(surroundings.folder, given.slice("file:".length));
    return contentOf(path, surroundings);
  } catch (error) {
    throw new Unresolved(`the file cannot be read: ${(error as Error).message}`, hint, true);
  }
}

function contentOf(path: string, { onFile }: Surroundings): ResolvedText {
  onFile?.(path);
  const found = statSync(path);
  // Reading a pipe or a device may never end.
  if (!found.isFile()) throw new Error("it is not a file");
  if (found.size > maxSecretBytes) throw new Error("it is larger than 1 MiB");
  // Editors and `echo` end a file with a line break that is not part of the password.
  const text = readText(path).replace(/\r?\n$/, "");
  // A file that is being replaced may be empty for a moment. Without its password every delivery would be refused.
  if (text === "") throw new Error("it is empty");
  return secretText(text);
}

/** systemd puts credentials into a folder that only the service can read, and names it in a variable. */
function fromCredential(name: string, surroundings: Surroundings): ResolvedText {
  const folder = surroundings.env["CREDENTIALS_DIRECTORY"];
  const hint = `Write LoadCredential=${name}:/path/of/its/file into the service unit.`;
  if (!/^[\w.@-]+$/.test(name) || /^\.+$/.test(name)) {
    throw new Unresolved(`${name} is not the name of a credential`, "Write letters, digits and . _ - @ only.");
  }
  if (!folder) throw new Unresolved("the service manager has passed no credentials", hint, true);
  try {
    return contentOf(join(folder, name), surroundings);
  } catch (error) {
    throw new Unresolved(`the credential cannot be read: ${(error as Error).message}`, hint, true);
  }
}

function fromCommand(given: string, { answers }: Surroundings): ResolvedText {
  const answer = answers?.get(given);
  if (answer !== undefined && "text" in answer) return secretText(answer.text);
  const { problem, hint } = answer ?? { problem: "commands are not run here", hint: "Keep the value in a file." };
  throw new Unresolved(problem, hint, true);
}

/** Shorter values are not masked: that would hide harmless parts of many texts and protect little. */
const shortest = 4;

/** Everybody may see these. A file with all trusted certificates has thousands of lines, and each would be looked for. */
const publicParts = /-----BEGIN ((?:TRUSTED )?CERTIFICATE|PUBLIC KEY)-----[^-]*-----END \1-----/g;

/**
 * Masks the given values in a text, however they are written there. Multi-line values are also masked line by line,
 * because keys are printed in pieces.
 */
export function redactor(secrets: readonly string[]): MaskSecrets {
  const parts = secrets
    .map((secret) => secret.replaceAll(publicParts, "").trim())
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .filter((part) => part.length >= shortest)
    .flatMap(writtenForms);
  // The longest first: one secret may be the beginning of another.
  const values = [...new Set(parts)].sort((a, b) => b.length - a.length);
  const mask = (text: string) => values.reduce((rest, value) => rest.replaceAll(value, "***"), text);
  return Object.assign(mask, { longest: values[0]?.length ?? 0 });
}

/** The variables of a `.env` file in this folder; none if there is no such file. */
export function dotEnv(folder: string): Environment {
  const file = join(folder, ".env");
  // Most folders have none, and an error takes longer to make than the file to look for.
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

interface SecretMask {
  /** Masks every secret of the configuration in a text. */
  readonly mask: MaskSecrets;
  /**
   * Adds the secrets of a new configuration. Those of the previous one stay masked: its deliveries may still be
   * running.
   */
  readonly learn: (config: unknown, redact?: MaskSecrets) => void;
}

/**
 * Values from the environment or a file are known to be secrets; values in the configuration file are recognised by
 * name.
 */
export function secretMask(): SecretMask {
  let now: MaskSecrets = (text) => text;
  let before = now;
  const mask = (text: string) => now(before(text));
  return {
    mask: Object.defineProperty(mask, "longest", { get: () => longestOf(now, before) }),
    learn: (config, redact = (text) => text) => {
      const byName = redactor(secretsIn(config));
      before = now;
      now = Object.assign((text: string) => byName(redact(text)), { longest: longestOf(byName, redact) });
    },
  };
}

/** It says where a secret is kept. Masked, a text that is copied into the file would lose the place. */
export const isReference = (text: string): boolean => /^(?:(?:\$\{\w+\})+|(?:file|credential|exec):.*)$/s.test(text);

function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === "string") return isSecret && !isReference(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => secretsIn(one, isSecret));
  return Object.entries(value).flatMap(([name, own]: [string, unknown]) => secretsIn(own, isSecretName(name)));
}
