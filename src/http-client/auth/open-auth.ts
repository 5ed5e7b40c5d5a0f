import type { Clock } from "../../kit/time/clock.ts";
import { Fault } from "../../operation/fault.ts";
import { readAnswer } from "../answers/read-answer.ts";
import { memberAt } from "../answers/template.ts";
import { type ClientNeeds, type HttpClient, headerText, httpClient } from "../http-client.ts";
import type { CsrfOptions, OAuth2Options, SentAuth, SessionOptions } from "./auth-kinds.ts";
import {
  type Authenticator,
  type NewCredentials,
  renewableCredentials,
  type SentCredentials,
} from "./renewable-credentials.ts";
import { sessionLogin } from "./session-login.ts";

export interface AuthNeeds {
  readonly clock: Clock;
  /** Used for a session, which is opened on the same host. */
  readonly client: HttpClient;
  readonly baseUrl: URL;
  /** The connector's own values, for placeholders in a login. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The settings for connections to other hosts, such as the token endpoint. */
  readonly connection: Omit<ClientNeeds, "url">;
}

/** The authenticator of the kind that the options name. */
export function openAuth(
  options: SentAuth,
  { clock, client, baseUrl, connection, variables = {} }: AuthNeeds,
): Authenticator {
  if (options.kind === "oauth2") {
    const tokenClient = httpClient({ ...connection, url: new URL(options.tokenUrl) });
    return renewableCredentials({
      obtain: () => clientCredentials(options, tokenClient),
      clock,
      isRefused: ({ status }) => status === 401,
      secrets: [options.clientSecret, encodeURIComponent(options.clientSecret)],
      close: () => tokenClient.close(),
    });
  }
  if (options.kind === "session" || options.kind === "csrf") {
    const { obtain, isRefused, secrets } = sessionLogin(options, { client, baseUrl, variables });
    return renewableCredentials({ obtain, clock, isRefused, secrets, close: () => {} });
  }
  return fixedCredentials(options);
}

/** Credentials that are the same on every request: none, a password, a token, or a key. */
function fixedCredentials(auth: Exclude<SentAuth, OAuth2Options | SessionOptions | CsrfOptions>): Authenticator {
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const secrets: string[] = [];
  if (auth.kind === "basic") {
    const encoded = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
    headers["authorization"] = `Basic ${encoded}`;
    secrets.push(encoded, auth.password);
  }
  if (auth.kind === "bearer") {
    headers["authorization"] = headerText(`${auth.prefix ?? "Bearer"} ${auth.token}`.trimStart());
    secrets.push(auth.token);
  }
  if (auth.kind === "apiKey") {
    secrets.push(auth.key, encodeURIComponent(auth.key));
    if (auth.query !== undefined) query[auth.query] = auth.key;
    else headers[(auth.header ?? "x-api-key").toLowerCase()] = headerText(auth.key);
  }
  const credentials: SentCredentials = { headers, query };
  return {
    credentials: () => credentials,
    renew: () => false,
    isRefused: () => false,
    expiresAt: () => null,
    secrets: () => secrets,
    close: () => {},
  };
}

/** Gets a token by OAuth 2 client credentials. */
async function clientCredentials(options: OAuth2Options, client: HttpClient): Promise<NewCredentials> {
  const { tokenUrl, clientId, clientSecret, scope, audience, clientAuth = "basic", extra = {} } = options;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
    ...(clientAuth === "body" ? { client_id: clientId, client_secret: clientSecret } : {}),
    ...extra,
  });
  const body = Buffer.from(form.toString());
  // RFC 6749 2.3.1: both parts are form-encoded before they are joined.
  const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString(
    "base64",
  );
  const answer = await client.send({
    method: "POST",
    url: new URL(tokenUrl),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
      accept: "application/json",
      ...(clientAuth === "basic" ? { authorization: `Basic ${credentials}` } : {}),
    },
    body,
    // Requesting a second token does no harm.
    isRepeatable: true,
    // All requests that wait for the token share this one, so none of them may abort it.
    signal: new AbortController().signal,
  });
  const read = readAnswer(answer);
  const token = memberAt(read.json, "access_token");
  if (answer.status !== 200 || typeof token !== "string" || token === "") {
    const error = [memberAt(read.json, "error"), memberAt(read.json, "error_description")].filter(Boolean).join(": ");
    throw new Fault(
      "unreachable",
      `no token from ${new URL(tokenUrl).origin}: status ${answer.status}${error === "" ? "" : `, ${error}`}; ` +
        "check clientId, clientSecret and scope",
      { answer: { status: answer.status } },
    );
  }
  const seconds = Number(memberAt(read.json, "expires_in"));
  return {
    credentials: { headers: { authorization: `Bearer ${token}` }, query: {} },
    lifetimeMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null,
    secrets: [token],
  };
}
