import type { Config } from "../config/config-schema.ts";
import { httpClient } from "../http-client/http-client.ts";
import { systemNetwork } from "../http-client/network/proxy-choice.ts";
import type { Clock } from "../kit/time/clock.ts";
import { failureDelays } from "../server/auth/failure-delays.ts";
import type { SeenIds } from "../server/auth/open-seen-ids.ts";
import {
  addressMatcher,
  clientAddress,
  type PlatformGuard,
  type Refused,
  type SenderCheck,
} from "../server/auth/sender-check.ts";
import type { FetchJwks } from "../server/auth/verify-jwt.ts";
import { createSenderCheck } from "../server/auth/verify-sender.ts";

export interface SenderChecksNeeds {
  readonly apiKey: string;
  readonly clock: Clock;
  readonly seenIds: SeenIds;
  readonly fetchJwks: FetchJwks;
}

/** How one configuration authenticates senders and the platform. */
export interface SenderChecks {
  readonly senders: SenderCheck;
  /** Null if the platform does not have to authenticate. */
  readonly platform: PlatformGuard | null;
}

type Before = SenderChecks & { readonly config: Config };

/** Creates the checks for each configuration. Wrong credentials are counted across all of them. */
export function senderChecks(needs: SenderChecksNeeds): (config: Config, before: Before | null) => SenderChecks {
  const common = { ...needs, failures: failureDelays(needs) };

  const platformGuard = ({ platform, trustProxy }: Config): PlatformGuard | null => {
    const { auth, addresses, openRoutes } = platform;
    if (auth === undefined && addresses === undefined) return null;
    if (auth === undefined) return { judge: addressJudge(addresses ?? [], trustProxy), openRoutes };
    const sender = { auth, enabled: true, ...(addresses === undefined ? {} : { addresses }) };
    const check = createSenderCheck({ ...common, senders: { platform: sender }, trustProxy });
    return { judge: check.beforeBody, openRoutes };
  };

  // A check is reused if its settings are unchanged, so that an issuer's keys are not fetched again.
  return (config, before) => ({
    senders: isSame(before, config, "senders")
      ? before.senders
      : createSenderCheck({ ...common, senders: config.senders, trustProxy: config.trustProxy }),
    platform: isSame(before, config, "platform") ? before.platform : platformGuard(config),
  });
}

const isSame = (before: Before | null, next: Config, member: "senders" | "platform"): before is Before =>
  before !== null && textOf(before.config, member) === textOf(next, member);

const textOf = (config: Config, member: "senders" | "platform") => JSON.stringify([config[member], config.trustProxy]);

function addressJudge(addresses: readonly string[], trustProxy: readonly string[]): PlatformGuard["judge"] {
  const isAllowed = addressMatcher(addresses);
  const isProxy = addressMatcher(trustProxy);
  const refused: Refused = { status: 403, detail: "The platform does not call from this address." };
  return async (request) => (isAllowed(clientAddress(request, isProxy)) ? null : refused);
}

const timeouts = { connectMs: 3_000, headersMs: 5_000, totalMs: 5_000 };
const maxAnswerBytes = 512 * 1024;

/** Fetches an issuer's keys, only from the configured address. */
export const fetchJwks: FetchJwks = async (address) => {
  const url = new URL(address);
  const client = httpClient({
    url,
    // Many issuers run in the same private network as the adapter.
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
