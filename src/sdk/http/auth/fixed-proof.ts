import { headerText } from "../header-text.ts";
import type { AuthOptions } from "./auth-options.ts";
import type { Authenticator, Proof } from "./authenticator.ts";

/** A proof that is the same on every request: none at all, a password, a token, a key. */
export function fixedProof({ basic, bearer, apiKey }: AuthOptions): Authenticator {
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const secrets: string[] = [];
  if (basic !== undefined) {
    const encoded = Buffer.from(`${basic.username}:${basic.password}`).toString("base64");
    headers["authorization"] = `Basic ${encoded}`;
    secrets.push(encoded, basic.password);
  }
  if (bearer !== undefined) {
    headers["authorization"] = headerText(`${bearer.prefix ?? "Bearer"} ${bearer.token}`);
    secrets.push(bearer.token);
  }
  if (apiKey !== undefined) {
    secrets.push(apiKey.value, encodeURIComponent(apiKey.value));
    if (apiKey.query !== undefined) query[apiKey.query] = apiKey.value;
    else headers[(apiKey.header ?? "x-api-key").toLowerCase()] = headerText(apiKey.value);
  }
  const proof: Proof = { headers, query };
  return {
    proof: () => proof,
    renew: () => false,
    refusedStatuses: [],
    expiresAt: () => null,
    secrets: () => secrets,
    close: () => {},
  };
}
