import { Fault } from "../../fault.ts";
import type { HttpClient } from "../http-client.ts";
import { memberAt } from "../member-at.ts";
import { readAnswer } from "../read-answer.ts";
import type { OAuth2Options } from "./auth-options.ts";
import type { FreshProof } from "./renewable-proof.ts";

/** Gets a token by OAuth 2 client credentials. */
export async function clientCredentials(options: OAuth2Options, client: HttpClient): Promise<FreshProof> {
  const { tokenUrl, clientId, clientSecret, scope, audience, clientAuth = "basic", extra = {} } = options;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
    ...(clientAuth === "body" ? { client_id: clientId, client_secret: clientSecret } : {}),
    ...extra,
  });
  const body = Buffer.from(form.toString());
  // RFC 6749 2.3.1: both parts are form-encoded before they are put together.
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
    // Shared by all who wait for the token: none of them may break it off.
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
