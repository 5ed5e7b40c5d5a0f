import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { fileURLToPath } from "node:url";
import { networkOf } from "../../http-client/network/address-guard.ts";
import { meantSentence } from "../../kit/nearest-name.ts";
import { senderMembers } from "../../server/auth/sender-options.ts";
import { type ConfigPath, type Objection, pathText } from "../document/config-error.ts";
import { configShape, isPlainObject, unknownKeys, withDefaults } from "../document/config-shape.ts";
import { resolveTexts, type Surroundings } from "../document/resolve-text.ts";
import { authObjections, readAuth } from "./check-auth.ts";
import { fitOptions, wrongOptions } from "./fit-options.ts";

export interface ReadSenders {
  /** The whole configuration, with secrets and defaults filled in. */
  readonly value: Record<string, unknown>;
  readonly secrets: readonly string[];
  readonly objections: readonly Objection[];
}

/** Reserved names: `key` for holders of the API key, and the platform. */
const reserved = ["key", "platform"];

/**
 * Reads `senders`, `platform.auth` and related settings: fills in secrets and checks them with the schema of their
 * kind.
 */
export function readSenders(given: Record<string, unknown>, surroundings: Surroundings): ReadSenders {
  const platform = isPlainObject(given["platform"]) ? given["platform"] : {};
  const senders = resolveTexts(given["senders"], ["senders"], surroundings);
  const auth = resolveTexts(platform["auth"], ["platform", "auth"], surroundings);
  const fromOutside = new Set([...senders.paths, ...auth.paths].map(pathText));
  const reading = { fromOutside, folder: surroundings.folder };
  const objections: Objection[] = [...senders.objections, ...auth.objections];
  const unresolved = new Set(objections.map(({ path }) => pathText(path)));
  const object = (more: readonly Objection[]) => {
    objections.push(...more.filter(({ path }) => !unresolved.has(pathText(path))));
  };

  const tls = tlsPaths(platform["tls"], surroundings.folder);
  object(tlsObjections(tls));
  object(addressObjections(given["trustProxy"], ["trustProxy"]));
  object(addressObjections(platform["addresses"], ["platform", "addresses"]));
  const takesCertificates = isPlainObject(tls) && tls["clientCa"] !== undefined;

  const read: Record<string, unknown> = {};
  for (const [name, one] of isPlainObject(senders.value) ? Object.entries(senders.value) : []) {
    const sender = readOne(name, one, reading);
    read[name] = sender.value;
    object([...nameObjections(name), ...sender.objections]);
    object(authObjections(sender.auth, ["senders", name, "auth"], { takesCertificates, isPlatform: false }));
  }
  object(sharedKeys(read));

  const accepted = isNone(auth.value)
    ? { value: undefined, objections: [] }
    : readAuth(auth.value, ["platform", "auth"], reading);
  object(accepted.objections);
  object(authObjections(accepted.value, ["platform", "auth"], { takesCertificates, isPlatform: true }));
  const { auth: _read, ...withoutAuth } = platform;
  const value = {
    ...given,
    ...(isPlainObject(given["senders"]) ? { senders: read } : {}),
    ...(isPlainObject(given["platform"])
      ? { platform: { ...withoutAuth, ...present("auth", accepted.value), ...present("tls", tls) } }
      : {}),
  };
  return { value, secrets: [...senders.secrets, ...auth.secrets], objections };
}

/** Whether the configuration says explicitly that the platform need not authenticate. */
const isNone = (auth: unknown): boolean =>
  isPlainObject(auth) && auth["kind"] === "none" && Object.keys(auth).length === 1;

const present = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });

interface Reading {
  readonly fromOutside: ReadonlySet<string>;
  readonly folder: string;
}

function readOne(name: string, given: unknown, { fromOutside, folder }: Reading) {
  const path: ConfigPath = ["senders", name];
  // The schema of the whole file reports the members that a sender must have.
  if (!isPlainObject(given)) return { value: given, auth: undefined, objections: [] };
  const shape = configShape(senderMembers);
  const isFromOutside = (inner: ConfigPath) => fromOutside.has(pathText([...path, ...inner]));
  const fitted = fitOptions(shape, given, { isFromOutside, folder });
  // Adding defaults to an object gives an object.
  const filled = withDefaults(shape, fitted) as Record<string, unknown>;
  const auth = readAuth(filled["auth"], [...path, "auth"], { fromOutside, folder });
  const extra = unknownKeys(shape, filled);
  const unknown = extra.map(({ path: inner, allowed }) => ({
    path: [...path, ...inner],
    text: "a sender has no such setting",
    hint: `${meantSentence(String(inner.at(-1)), allowed)}Known here: ${allowed.join(", ")}.`,
  }));
  const wrong = wrongOptions(senderMembers, filled, isFromOutside, extra)
    // Problems inside `auth` were already reported by the check of its kind.
    .filter(({ path: [first, second] }) => first !== "auth" || second === undefined)
    .map((objection) => ({ ...objection, path: [...path, ...objection.path] }));
  const addresses = addressObjections(filled["addresses"], [...path, "addresses"]);
  const isAuthGiven = isPlainObject(filled["auth"]);
  return {
    value: { ...filled, ...present("auth", auth.value) },
    auth: auth.value,
    objections: [...unknown, ...wrong, ...addresses, ...(isAuthGiven ? auth.objections : [])],
  };
}

function nameObjections(name: string): Objection[] {
  const path = ["senders", name];
  if (reserved.includes(name)) {
    return [{ path, text: `${name} is a reserved name`, hint: "Choose another name." }];
  }
  // Names are used in log lines and in the journal.
  if (/^[\p{L}\p{N}._ -]{1,60}$/u.test(name)) return [];
  const hint = "Letters, digits, blanks and . _ -, at most 60 of them.";
  return [{ path, text: `${JSON.stringify(name)} is not a valid name`, hint }];
}

/** Reports keys that two senders share: it would be unknown which of the two has sent something. */
function sharedKeys(senders: Record<string, unknown>): Objection[] {
  const owners = new Map<string, string>();
  return Object.entries(senders).flatMap(([name, sender]) => {
    const auth = isPlainObject(sender) ? sender["auth"] : undefined;
    const keys = isPlainObject(auth) && Array.isArray(auth["keys"]) ? auth["keys"] : [];
    return keys.flatMap((key: unknown, index): Objection[] => {
      const owner = owners.get(String(key));
      owners.set(String(key), name);
      if (owner === undefined || owner === name) return [];
      const path = ["senders", name, "auth", "keys", index];
      return [{ path, text: `${owner} has the same key`, hint: "Give each sender keys of its own." }];
    });
  });
}

/** List elements that are neither an address nor a network. */
function addressObjections(list: unknown, path: ConfigPath): Objection[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown, index): Objection[] => {
    if (typeof one !== "string" || networkOf(one) !== null) return [];
    const hint = "Write an address or a network, such as 10.1.2.3, 10.1.0.0/16 or 2001:db8::/32.";
    return [{ path: [...path, index], text: `${JSON.stringify(one)} is not an address`, hint }];
  });
}

/** Makes the paths absolute. The contents are not loaded here, because the files are read again when they change. */
function tlsPaths(given: unknown, folder: string): unknown {
  if (!isPlainObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, path]) => [name, typeof path === "string" && path !== "" ? pathOf(path) : path]),
  );

  function pathOf(text: string): string {
    if (text.startsWith("file://") && URL.canParse(text)) return fileURLToPath(text);
    return resolve(folder, text.replace(/^file:/, ""));
  }
}

/** Checks that the files exist and match. Otherwise the first client would meet the error. */
function tlsObjections(tls: unknown): Objection[] {
  if (!isPlainObject(tls)) return [];
  const contents: Record<string, string> = {};
  const objections: Objection[] = [];
  for (const name of ["cert", "key", "clientCa"]) {
    const path = tls[name];
    if (typeof path !== "string") continue;
    try {
      contents[name] = readFileSync(path, "utf8");
    } catch (error) {
      const hint = "Write the path of a PEM file this user may read, from the configuration's folder or absolute.";
      const text = `the file cannot be read: ${(error as Error).message}`;
      objections.push({ path: ["platform", "tls", name], text, hint });
    }
  }
  const { cert, key, clientCa } = contents;
  if (objections.length > 0 || cert === undefined || key === undefined) return objections;
  try {
    createSecureContext({ cert, key, ...(clientCa === undefined ? {} : { ca: clientCa }) });
    return [];
  } catch (error) {
    const hint = "They have to be PEM, the key without a password, and the key has to be that of the certificate.";
    const text = `the certificate and key cannot be used: ${(error as Error).message}`;
    return [{ path: ["platform", "tls"], text, hint }];
  }
}
