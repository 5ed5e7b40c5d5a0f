import type { Clock } from "../../kit/time/clock.ts";
import { Fault } from "../../operation/fault.ts";
import { readAnswer } from "../answers/read-answer.ts";
import { memberAt } from "../answers/template.ts";
import { type ClientNeeds, type HttpClient, headerText, httpClient } from "../http-client.ts";
import type { OAuth2Options, SentAuth, SessionOptions } from "./auth-kinds.ts";
import { type Authenticator, type FreshProof, type Proof, renewableProof } from "./renewable-proof.ts";

export interface AuthNeeds {
  readonly clock: Clock;
  /** For a session, which is opened on the same host. */
  readonly client: HttpClient;
  readonly baseUrl: URL;
  /** Opens connections to other hosts, such as the token endpoint. */
  readonly connection: Omit<ClientNeeds, "url">;
}

/** The authenticator of the kind that the options name. */
export function openAuth(options: SentAuth, { clock, client, baseUrl, connection }: AuthNeeds): Authenticator {
  if (options.kind === "oauth2") {
    const tokenClient = httpClient({ ...connection, url: new URL(options.tokenUrl) });
    return renewableProof({
      obtain: () => clientCredentials(options, tokenClient),
      clock,
      refusedStatuses: [401],
      secrets: [options.clientSecret, encodeURIComponent(options.clientSecret)],
      close: () => tokenClient.close(),
    });
  }
  if (options.kind === "session") {
    const url = new URL(baseUrl.href.replace(/\/*$/, "") + options.loginPath);
    const texts = Object.values(options.body ?? {}).filter((value) => typeof value === "string");
    return renewableProof({
      obtain: () => sessionLogin(options, url, client),
      clock,
      refusedStatuses: options.renewOn ?? [401],
      secrets: texts,
      close: () => {},
    });
  }
  return fixedProof(options);
}

/** A proof that is the same on every request: none at all, a password, a token, a key. */
function fixedProof(auth: Exclude<SentAuth, OAuth2Options | SessionOptions>): Authenticator {
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const secrets: string[] = [];
  if (auth.kind === "basic") {
    const encoded = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
    headers["authorization"] = `Basic ${encoded}`;
    secrets.push(encoded, auth.password);
  }
  if (auth.kind === "bearer") {
    headers["authorization"] = headerText(`${auth.prefix ?? "Bearer"} ${auth.token}`);
    secrets.push(auth.token);
  }
  if (auth.kind === "apiKey") {
    secrets.push(auth.key, encodeURIComponent(auth.key));
    if (auth.query !== undefined) query[auth.query] = auth.key;
    else headers[(auth.header ?? "x-api-key").toLowerCase()] = headerText(auth.key);
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

/** Logs in and keeps the cookies or the token of the answer. */
async function sessionLogin(options: SessionOptions, url: URL, client: HttpClient): Promise<FreshProof> {
  const body = Buffer.from(JSON.stringify(options.body ?? {}));
  const answer = await client.send({
    method: "POST",
    url,
    headers: { "content-type": "application/json", "content-length": String(body.length), accept: "application/json" },
    body,
    // Shared by all requests that wait for the session, so no single request may abort it.
    signal: new AbortController().signal,
  });
  if (answer.status < 200 || answer.status >= 300) throw refused(`status ${answer.status}`, answer.status);
  const { tokenPath, header = "authorization", prefix } = options;
  if (tokenPath !== undefined) {
    const found = memberAt(readAnswer(answer).json, tokenPath);
    if (typeof found !== "string" || found === "") throw refused(`its answer has no ${tokenPath}`, answer.status);
    const value = prefix === undefined ? found : `${prefix} ${found}`;
    const headers = { [header.toLowerCase()]: value };
    return { proof: { headers, query: {} }, lifetimeMs: null, secrets: [found] };
  }
  const cookies = (answer.headers["set-cookie"] ?? []).flatMap((line) => line.split(";")[0]?.trim() || []);
  if (cookies.length === 0) throw refused("its answer has no cookie", answer.status);
  const values = cookies.map((cookie) => cookie.slice(cookie.indexOf("=") + 1));
  return { proof: { headers: { cookie: cookies.join("; ") }, query: {} }, lifetimeMs: null, secrets: values };
}

const refused = (reason: string, status: number): Fault =>
  new Fault("unreachable", `the login was refused: ${reason}; check user name and password`, { answer: { status } });

/** Gets a token by OAuth 2 client credentials. */
async function clientCredentials(options: OAuth2Options, client: HttpClient): Promise<FreshProof> {
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
    // Shared by all requests that wait for the token, so no single request may abort it.
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
    proof: { headers: { authorization: `Bearer ${token}` }, query: {} },
    lifetimeMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null,
    secrets: [token],
  };
}
