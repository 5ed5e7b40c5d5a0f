import type { BasicAuth } from "./auth-kinds.ts";
import { secretMatcher } from "./secret-matcher.ts";

/** Name and password are one secret: an unknown name takes as long as a wrong password. */
export function basicVerifier({ users }: BasicAuth): (given: { user: string; password: string }) => boolean {
  const matches = secretMatcher(users.map((one) => `${one.user}:${one.password}`));
  return ({ user, password }) => matches(`${user}:${password}`);
}
