import { createHash } from "node:crypto";
import { secretMatcher } from "./sender-check.ts";

/**
 * What a person may do. A viewer reads; an operator also repairs deliveries and sees personal data; an admin also
 * changes settings.
 */
export const roles = ["viewer", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export const mayAct = (has: Role, needed: Role): boolean => roles.indexOf(has) >= roles.indexOf(needed);

/** The identity provider where people sign in to the console. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** The address of the adapter as browsers see it. Absent: taken from the request. */
  readonly publicUrl?: string | undefined;
  readonly scope: string;
  /** The claim that holds the name for the audit log. */
  readonly nameClaim?: string | undefined;
  readonly roles: {
    readonly claim: string;
    readonly viewer?: readonly string[] | undefined;
    readonly operator?: readonly string[] | undefined;
    readonly admin?: readonly string[] | undefined;
  };
}

/** Who may use the admin routes besides holders of the adapter's own key, and how long a session lasts. */
export interface AccessSettings {
  readonly users: Readonly<Record<string, { readonly apiKey: string; readonly role: Role }>>;
  readonly oidc?: OidcSettings | undefined;
  readonly idleMinutes: number;
  readonly sessionHours: number;
}

/** Personal keys must have at least this many characters. */
export const shortestKey = 16;

/** The holder of a key. */
export interface KeyHolder {
  /** Null for the adapter's own key: several people may use it, so each has to give a name. */
  readonly name: string | null;
  readonly role: Role;
  /** A fingerprint of the key: a session ends when its key is replaced. */
  readonly print: string;
}

export interface AdminKeys {
  /** Null if the key belongs to nobody. */
  readonly holderOf: (key: string) => KeyHolder | null;
  /** The holder as configured now; null if the key was removed or replaced. */
  readonly current: (holder: KeyHolder) => KeyHolder | null;
}

/** Compares a key with all configured ones. A reload takes effect at the next request. */
export function adminKeys(apiKey: string, settings: () => AccessSettings): AdminKeys {
  const compiled = new WeakMap<AccessSettings, readonly (KeyHolder & { matches: (key: string) => boolean })[]>();
  const own = { name: null, role: "admin", print: fingerprintOf(apiKey), matches: secretMatcher([apiKey]) } as const;
  const holders = () => {
    const now = settings();
    const known = compiled.get(now);
    if (known !== undefined) return known;
    const users = Object.entries(now.users)
      // A key from the environment may be empty or short by mistake; it must not let anybody in.
      .filter(([, { apiKey: own }]) => own.length >= shortestKey)
      .map(([name, user]) => ({
        ...{ name, role: user.role, print: fingerprintOf(user.apiKey), matches: secretMatcher([user.apiKey]) },
      }));
    const made = [own, ...users];
    compiled.set(now, made);
    return made;
  };
  return {
    holderOf: (key) => {
      // All are compared, even after a match: the duration must not reveal which one matches.
      const [found] = holders().filter(({ matches }) => matches(key));
      return found === undefined ? null : { name: found.name, role: found.role, print: found.print };
    },
    current: (holder) => {
      const { name, print } = holder;
      const { oidc } = settings();
      // The provider was queried when the session began. The session ends if the provider or its roles are
      // reconfigured.
      if (oidc !== undefined && print === oidcFingerprint(oidc)) return holder;
      return holders().find((one) => one.name === name && one.print === print) ?? null;
    },
  };
}

const fingerprintOf = (key: string): string => createHash("sha256").update(`session ${key}`).digest("base64url");

/** The fingerprint for people who signed in at an identity provider. */
export const oidcFingerprint = (oidc: OidcSettings): string => fingerprintOf(`oidc ${JSON.stringify(oidc)}`);
