import type { Offer } from "../sdk/connector.ts";
import type { Objection } from "./document/config-error.ts";
import { isPlainObject } from "./document/config-shape.ts";
import { resolveTexts, type Surroundings } from "./document/resolve-text.ts";

/** A configuration in which references to the environment, files and commands are replaced by their values. */
export interface ResolvedSections {
  readonly value: unknown;
  /** What each connector offers. */
  readonly offers: ReadonlyMap<string, Offer>;
  readonly secrets: readonly string[];
  readonly objections: readonly Objection[];
}

/** Resolves the sections that may contain references. Each resolver is loaded only if the configuration needs it. */
export async function resolveSections(given: unknown, surroundings: Surroundings): Promise<ResolvedSections> {
  const connected = await withConnectors(given, surroundings);
  const forwarding = await withForward(connected.value, surroundings);
  const proven = await withSenders(forwarding.value, surroundings);
  const watched = await withAlarms(proven.value, surroundings);
  const people = withUsers(watched.value, surroundings);
  const stored = withStore(people.value, surroundings);
  const parts = [connected, forwarding, proven, watched, people, stored];
  return {
    value: stored.value,
    offers: connected.offers,
    secrets: parts.flatMap((part) => part.secrets),
    objections: parts.flatMap((part) => part.objections),
  };
}

/** Resolves the keys of people and the sign-in secret, which should not stand in the file. */
function withUsers(value: unknown, surroundings: Surroundings) {
  const section = isPlainObject(value) ? value["console"] : undefined;
  if (!isPlainObject(value) || !isPlainObject(section)) return { value, secrets: [], objections: [] };
  const users = resolveTexts(section["users"], ["console", "users"], surroundings);
  const oidc = resolveTexts(section["oidc"], ["console", "oidc"], surroundings);
  const resolved = { ...section, users: users.value, ...(section["oidc"] === undefined ? {} : { oidc: oidc.value }) };
  return {
    value: { ...value, console: resolved },
    secrets: [...users.secrets, ...oidc.secrets],
    objections: [...users.objections, ...oidc.objections],
  };
}

/** With the address of the PostgreSQL resolved, which holds a password. */
function withStore(value: unknown, surroundings: Surroundings) {
  if (!isPlainObject(value) || value["store"] === undefined) return { value, secrets: [], objections: [] };
  const { value: store, secrets, objections } = resolveTexts(value["store"], ["store"], surroundings);
  return { value: { ...value, store }, secrets, objections };
}

/** With connector options resolved. */
async function withConnectors(value: unknown, surroundings: Surroundings) {
  const given = isPlainObject(value) ? value["connectors"] : undefined;
  if (!isPlainObject(value) || !isPlainObject(given) || Object.keys(given).length === 0) {
    return { value, secrets: [], objections: [], offers: new Map<string, Offer>() };
  }
  // Loaded only if there are connectors: the catalogue loads the options of every connector.
  const { readConnectors } = await import("./checks/check-connectors.ts");
  const { connectors, secrets, objections, offers } = await readConnectors(given, surroundings);
  return { value: { ...value, connectors }, secrets, objections, offers };
}

/** Resolves the requests to the platform's interface. */
async function withForward(value: unknown, surroundings: Surroundings) {
  const platform = isPlainObject(value) ? value["platform"] : undefined;
  const given = isPlainObject(platform) ? platform["forward"] : undefined;
  if (!isPlainObject(value) || !isPlainObject(platform) || !isPlainObject(given) || Object.keys(given).length === 0) {
    return { value, secrets: [], objections: [] };
  }
  // Loaded only if something is forwarded: it loads the options of a connector.
  const { readForward } = await import("./checks/check-forward.ts");
  const { forward, secrets, objections } = await readForward(given, surroundings);
  return { value: { ...value, platform: { ...platform, forward } }, secrets, objections };
}

/** Fills in the secrets of senders and of the platform. */
async function withSenders(value: unknown, surroundings: Surroundings) {
  if (!isPlainObject(value)) return { value, secrets: [], objections: [] };
  const { readSenders } = await import("./checks/check-senders.ts");
  return readSenders(value, surroundings);
}

/** Fills in the secrets of the alarm channels. */
async function withAlarms(value: unknown, surroundings: Surroundings) {
  if (!isPlainObject(value)) return { value, secrets: [], objections: [] };
  const { readAlarms } = await import("./sections/alarm-options.ts");
  return readAlarms(value, surroundings);
}
