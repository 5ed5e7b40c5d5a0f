import type { OidcSettings, Role } from "../auth/admin-access.ts";

/** What the provider says about a person; any member may be anything. */
export type Claims = Readonly<Record<string, unknown>>;

/** The highest role that one of the person's groups gives; null if none does. */
export function roleOf(
  claims: Claims,
  { claim, viewer = [], operator = [], admin = [] }: OidcSettings["roles"],
): Role | null {
  const found = claimAt(claims, claim);
  const groups = new Set((Array.isArray(found) ? found : [found]).filter((one) => typeof one === "string"));
  const has = (names: readonly string[]) => names.some((name) => groups.has(name));
  return has(admin) ? "admin" : has(operator) ? "operator" : has(viewer) ? "viewer" : null;
}

const longestName = 100;

/** A name that is not empty, for the audit; null if the provider gives none. */
export function nameOf(claims: Claims, nameClaim: string | undefined): string | null {
  const names = nameClaim === undefined ? ["preferred_username", "email", "sub"] : [nameClaim];
  for (const name of names) {
    const found = claimAt(claims, name);
    if (typeof found === "string" && found.trim() !== "") return found.trim().slice(0, longestName);
  }
  return null;
}

/** A claim by its name, or by a path such as `realm_access.roles`. Claims with a dot in their name come first. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
