import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import type { Environment } from "../settings.ts";
import type { ConfigPath, Objection } from "./config-error.ts";

export interface Surroundings {
  readonly env: Environment;
  /** Of the configuration file: what relative paths are meant from. */
  readonly folder: string;
  /** Missing secrets are no mistake. */
  readonly withoutSecrets?: boolean;
}

export interface Resolved {
  readonly value: unknown;
  /** What came from outside the file; to be kept out of everything that is printed. */
  readonly secrets: readonly string[];
  /** Where such a value stands. */
  readonly paths: readonly ConfigPath[];
  readonly objections: readonly Objection[];
}

const maxSecretBytes = 1024 * 1024;

/**
 * Every text below may hold `${NAME}` of the environment, or be `file:` and the path of a file that holds it. `$${`
 * stands for `${` itself.
 */
export function resolveTexts(value: unknown, path: ConfigPath, surroundings: Surroundings): Resolved {
  const secrets: string[] = [];
  const paths: ConfigPath[] = [];
  const objections: Objection[] = [];

  const text = (given: string, at: ConfigPath): string => {
    try {
      const resolved = given.startsWith("file:") ? fromFile(given, surroundings) : fromEnvironment(given, surroundings);
      secrets.push(...resolved.secrets);
      if (resolved.secrets.length > 0) paths.push(at);
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

class Unresolved extends Error {
  readonly hint: string;
  readonly lacksSecret: boolean;
  constructor(message: string, hint: string, lacksSecret = false) {
    super(message);
    this.hint = hint;
    this.lacksSecret = lacksSecret;
  }
}

function fromEnvironment(given: string, { env }: Surroundings): { text: string; secrets: string[] } {
  const secrets: string[] = [];
  const text = given.replace(/\$\$\{|\$\{([^}]*)\}?/g, (found, name: string | undefined) => {
    if (name === undefined) return "${";
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || !found.endsWith("}")) {
      // In an expression the same signs group by a key.
      if (given.startsWith("=")) return found;
      throw new Unresolved(
        `${found} names no variable of the environment`,
        "Write a name of letters, digits and _ in the braces; for the signs themselves double the dollar sign.",
      );
    }
    const value = env[name];
    if (value === undefined || value === "") {
      throw new Unresolved(
        `the environment has no variable ${name}`,
        `Set ${name} before the start or in a file .env, or keep the value in a file and write file:/path/to/it.`,
        true,
      );
    }
    secrets.push(value);
    return value;
  });
  return { text, secrets };
}

function fromFile(given: string, { folder }: Surroundings): { text: string; secrets: string[] } {
  const hint = "Write file: and the path of a readable file; relative paths are meant from the configuration's folder.";
  try {
    const path = given.startsWith("file://") ? fileURLToPath(given) : resolve(folder, given.slice("file:".length));
    if (statSync(path).size > maxSecretBytes) throw new Error("it is larger than 1 MiB");
    // Editors and `echo` end a file with a line break that belongs to no password.
    const text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    return { text, secrets: [text] };
  } catch (error) {
    throw new Unresolved(`the file cannot be read: ${(error as Error).message}`, hint, true);
  }
}

/** Shorter ones would blot out half of every text, and tell nobody anything. */
const shortest = 4;

/** Takes the given values out of a text. Long ones are looked for line by line too: a key is printed in pieces. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const parts = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), ...secret.split(/\r?\n/)]);
  // The longest first: one secret may be the beginning of another.
  const values = [...new Set(parts)].filter((part) => part.length >= shortest).sort((a, b) => b.length - a.length);
  return (text) => values.reduce((rest, value) => rest.replaceAll(value, "***"), text);
}

/** Variables of a `.env` file in this folder; none where there is no such file. */
export function dotEnv(folder: string): Environment {
  try {
    return parseEnv(readFileSync(join(folder, ".env"), "utf8"));
  } catch {
    return {};
  }
}

type Mask = (text: string) => string;

interface SecretMask {
  /** Takes every secret of the configuration out of a text. */
  readonly mask: Mask;
  /** A configuration begins to hold; deliveries of the one before it may still be under way. */
  readonly learn: (config: unknown, redact?: Mask) => void;
}

const secretName =
  /passw(or)?d|passphrase|secret|token|credential|api[-_]?key|private[-_]?key|authori[sz]ation|cookie/i;
/** The name of something, the address of a login or the name of a file says nothing secret. */
const plainName = /(name|header|param|path|url|file|id|member|scheme)$/i;

/** What came from the environment or a file is known as such; what stands in the file itself is known by its name. */
export function secretMask(): SecretMask {
  let now: Mask = (text) => text;
  let before: Mask = now;
  return {
    mask: (text) => now(before(text)),
    learn: (config, redact = (text) => text) => {
      const byName = redactor(secretsIn(config));
      before = now;
      now = (text) => byName(redact(text));
    },
  };
}

function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === "string") return isSecret ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => secretsIn(one, isSecret));
  return Object.entries(value).flatMap(([name, own]: [string, unknown]) =>
    secretsIn(own, secretName.test(name) && !plainName.test(name)),
  );
}
