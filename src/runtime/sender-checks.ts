import type { Config } from "../app/config-schema.ts";
import type { PlatformGuard } from "../http/platform-auth.ts";
import { addressMatcher, clientAddress } from "../http/senders/client-address.ts";
import { failureDelays } from "../http/senders/failure-delays.ts";
import type { FetchJwks } from "../http/senders/jwks-cache.ts";
import type { SeenIds } from "../http/senders/seen-ids.ts";
import type { Refused, SenderCheck } from "../http/senders/sender-check.ts";
import { createSenderCheck } from "../http/senders/verify-sender.ts";
import type { Clock } from "../kit/clock.ts";

export interface SenderChecksNeeds {
  readonly apiKey: string;
  readonly clock: Clock;
  readonly seenIds: SeenIds;
  readonly fetchJwks: FetchJwks;
}

/** Who may push and who is the platform, by one configuration. */
export interface SenderChecks {
  readonly senders: SenderCheck;
  /** Null where the platform need not prove who it is. */
  readonly platform: PlatformGuard | null;
}

type Before = SenderChecks & { readonly config: Config };

/** Makes the checks of each configuration; wrong credentials are counted over all of them. */
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

  // Kept where what it is made from is the same: an issuer's keys are not fetched again for nothing.
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
