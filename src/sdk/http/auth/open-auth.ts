import type { Clock } from "../../../kit/clock.ts";
import { type ClientNeeds, type HttpClient, httpClient } from "../http-client.ts";
import type { AuthOptions } from "./auth-options.ts";
import type { Authenticator } from "./authenticator.ts";
import { clientCredentials } from "./client-credentials.ts";
import { fixedProof } from "./fixed-proof.ts";
import { renewableProof } from "./renewable-proof.ts";
import { sessionLogin } from "./session-login.ts";

export interface AuthNeeds {
  readonly clock: Clock;
  /** For a session, which is opened where it is used. */
  readonly client: HttpClient;
  readonly baseUrl: URL;
  /** How connections to other hosts are made, such as to the one that hands out tokens. */
  readonly connection: Omit<ClientNeeds, "url">;
}

/** The authenticator of the kind that the options name. */
export function openAuth(options: AuthOptions, { clock, client, baseUrl, connection }: AuthNeeds): Authenticator {
  const { oauth2, session } = options;
  if (oauth2 !== undefined) {
    const tokenClient = httpClient({ ...connection, url: new URL(oauth2.tokenUrl) });
    return renewableProof({
      obtain: () => clientCredentials(oauth2, tokenClient),
      clock,
      refusedStatuses: [401],
      secrets: [oauth2.clientSecret, encodeURIComponent(oauth2.clientSecret)],
      close: () => tokenClient.close(),
    });
  }
  if (session !== undefined) {
    const url = new URL(baseUrl.href.replace(/\/*$/, "") + session.path);
    const texts = Object.values(session.body ?? {}).filter((value) => typeof value === "string");
    return renewableProof({
      obtain: () => sessionLogin(session, url, client),
      clock,
      refusedStatuses: session.renewOn ?? [401],
      secrets: texts,
      close: () => {},
    });
  }
  return fixedProof(options);
}
