import { createHash } from "node:crypto";
import { secretMatcher } from "./sender-check.ts";

/** What a person may do: read; repair deliveries and see personal data; change settings. Each includes the one before. */
export const roles = ["viewer", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export const mayAct = (has: Role, needed: Role): boolean => roles.indexOf(has) >= roles.indexOf(needed);

/** An identity provider at which people sign in to the console. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** The address of the adapter as browsers see it; absent: as the request names it. */
  readonly publicUrl?: string | undefined;
  readonly scope: string;
  /** The claim with the name for the audit. */
  readonly nameClaim?: string | undefined;
  readonly roles: {
    readonly claim: string;
    readonly viewer?: readonly string[] | undefined;
    readonly operator?: readonly string[] | undefined;
    readonly admin?: readonly string[] | undefined;
  };
}

/** Who may use the admin routes in addition to holders of the adapter's own key, and how long a session lasts. */
export interface AccessSettings {
  readonly users: Readonly<Record<string, { readonly apiKey: string; readonly role: Role }>>;
  readonly oidc?: OidcSettings | undefined;
  readonly idleMinutes: number;
  readonly sessionHours: number;
}

/** Shorter keys of people are not accepted. */
export const shortestKey = 16;

/** The holder of a key. */
export interface KeyHolder {
  /** Null for the adapter's own key: several people may have it, so each gives a name. */
  readonly name: string | null;
  readonly role: Role;
  /** Changes with the key, so that a session ends if its key is replaced. */
  readonly print: string;
}

export interface AdminKeys {
  /** Null if this is nobody's key. */
  readonly holderOf: (key: string) => KeyHolder | null;
  /** The holder as configured now; null if the key was removed or replaced. */
  readonly current: (holder: KeyHolder) => KeyHolder | null;
}

/** Compares a key with all configured ones. A reload takes effect at the next request. */
export function adminKeys(apiKey: string, settings: () => AccessSettings): AdminKeys {
  const compiled = new WeakMap<AccessSettings, readonly (KeyHolder & { matches: (key: string) => boolean })[]>();
  const own = { name: null, role: "admin", print: printOf(apiKey), matches: secretMatcher([apiKey]) } as const;
  const holders = () => {
    const now = settings();
    const known = compiled.get(now);
    if (known !== undefined) return known;
    const users = Object.entries(now.users)
      // A key from the environment may be empty or short by mistake; it must not let anybody in.
      .filter(([, { apiKey: own }]) => own.length >= shortestKey)
      .map(([name, user]) => ({
        ...{ name, role: user.role, print: printOf(user.apiKey), matches: secretMatcher([user.apiKey]) },
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
      // The provider was asked when the session began; it ends if the provider or its roles are configured differently.
      if (oidc !== undefined && print === oidcPrint(oidc)) return holder;
      return holders().find((one) => one.name === name && one.print === print) ?? null;
    },
  };
}

const printOf = (key: string): string => createHash("sha256").update(`session ${key}`).digest("base64url");

/** For holders whom an identity provider knows. */
export const oidcPrint = (oidc: OidcSettings): string => printOf(`oidc ${JSON.stringify(oidc)}`);
