import { senderMembers } from "../http/senders/sender-options.ts";
import { nearestName } from "../kit/nearest-name.ts";
import { addressObjections } from "./check-addresses.ts";
import { authObjections, readAuth } from "./check-auth.ts";
import { tlsObjections, tlsPaths } from "./check-tls.ts";
import { type ConfigPath, didYouMean, type Objection, pathText } from "./config-error.ts";
import { configShape, isPlainObject, unknownKeys, withDefaults } from "./config-shape.ts";
import { fitOptions } from "./fit-options.ts";
import { resolveTexts, type Surroundings } from "./resolve-text.ts";
import { wrongOptions } from "./wrong-options.ts";

export interface ReadSenders {
  /** The whole configuration: secrets in place, defaults filled in. */
  readonly value: Record<string, unknown>;
  readonly secrets: readonly string[];
  readonly objections: readonly Objection[];
}

/** Names with a meaning of their own: whoever has the API key, and the platform. */
const reserved = ["key", "platform"];

/** `senders`, `platform.auth` and what belongs to them: secrets put in, checked by the schema of their kind. */
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

  const proof = readAuth(auth.value, ["platform", "auth"], reading);
  object(proof.objections);
  object(authObjections(proof.value, ["platform", "auth"], { takesCertificates, isPlatform: true }));
  const value = {
    ...given,
    ...(isPlainObject(given["senders"]) ? { senders: read } : {}),
    ...(isPlainObject(given["platform"])
      ? { platform: { ...platform, ...present("auth", proof.value), ...present("tls", tls) } }
      : {}),
  };
  return { value, secrets: [...senders.secrets, ...auth.secrets], objections };
}

const present = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });

interface Reading {
  readonly fromOutside: ReadonlySet<string>;
  readonly folder: string;
}

function readOne(name: string, given: unknown, { fromOutside, folder }: Reading) {
  const path: ConfigPath = ["senders", name];
  // The schema of the whole file says what a sender has to be at least.
  if (!isPlainObject(given)) return { value: given, auth: undefined, objections: [] };
  const shape = configShape(senderMembers);
  const isFromOutside = (inner: ConfigPath) => fromOutside.has(pathText([...path, ...inner]));
  const fitted = fitOptions(shape, given, { isFromOutside, folder });
  // Defaults are added to an object; that makes it no other kind of thing.
  const filled = withDefaults(shape, fitted) as Record<string, unknown>;
  const auth = readAuth(filled["auth"], [...path, "auth"], { fromOutside, folder });
  const unknown = unknownKeys(shape, filled).map(({ path: inner, allowed }) => ({
    path: [...path, ...inner],
    text: "there is no such member of a sender",
    hint: `${didYouMean(nearestName(String(inner.at(-1)), allowed))}Known here: ${allowed.join(", ")}.`,
  }));
  const wrong = wrongOptions(senderMembers, filled, isFromOutside)
    // What is wrong inside of it has been said in the words of its kind.
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
    return [{ path, text: `${name} has a meaning of its own`, hint: "Choose another name." }];
  }
  // It stands in log lines and in the journal.
  if (/^[\p{L}\p{N}._ -]{1,60}$/u.test(name)) return [];
  const hint = "Letters, digits, blanks and . _ -, at most 60 of them.";
  return [{ path, text: `${JSON.stringify(name)} cannot be a name`, hint }];
}

/** With one key for two nobody could say which of them sent. */
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
      return [{ path, text: `this is a key of ${owner} too`, hint: "Give each sender keys of its own." }];
    });
  });
}
