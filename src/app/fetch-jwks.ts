import type { FetchJwks } from "../http/senders/jwks-cache.ts";
import { httpClient } from "../sdk/http/http-client.ts";
import { systemNetwork } from "../sdk/http/system-network.ts";

const timeouts = { connectMs: 3_000, headersMs: 5_000, totalMs: 5_000 };
const maxAnswerBytes = 512 * 1024;

/** Fetches an issuer's keys from the configured address and from nowhere else. */
export const fetchJwks: FetchJwks = async (address) => {
  const url = new URL(address);
  const client = httpClient({
    url,
    // Many issuers stand in the same network as the adapter.
    allowPrivate: true,
    timeouts,
    maxAnswerBytes,
    decodes: false,
    ...systemNetwork,
  });
  try {
    const signal = AbortSignal.timeout(timeouts.totalMs);
    const answer = await client.send({ method: "GET", url, headers: { accept: "application/json" }, signal });
    if (answer.status !== 200 || answer.unread !== null) throw new Error(`${url.origin} answered ${answer.status}`);
    return JSON.parse(answer.body.toString("utf8"));
  } finally {
    client.close();
  }
};
