import { join } from "node:path";
import type { PlatformGuard } from "../http/platform-auth.ts";
import { addressMatcher, clientAddress } from "../http/senders/client-address.ts";
import { failureDelays } from "../http/senders/failure-delays.ts";
import { openSeenIds } from "../http/senders/open-seen-ids.ts";
import type { Refused, SenderCheck } from "../http/senders/sender-check.ts";
import { createSenderCheck } from "../http/senders/verify-sender.ts";
import type { Clock } from "../kit/clock.ts";
import type { Log } from "../kit/log.ts";
import { openSideDatabase } from "../kit/side-database.ts";
import type { Timers } from "../kit/timers.ts";
import type { Config } from "./config-schema.ts";
import { fetchJwks } from "./fetch-jwks.ts";

export interface SenderDeskNeeds {
  readonly dataFolder: string;
  readonly current: () => Config;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface SenderDesk {
  readonly senders: SenderCheck;
  readonly platform: () => PlatformGuard | null;
  readonly close: () => void;
}

/** Who may push and who is the platform, always as the configuration says now. */
export function openSenderDesk({ dataFolder, current, apiKey, ...needs }: SenderDeskNeeds): SenderDesk {
  const { clock } = needs;
  const withoutIt = "a signed push that somebody recorded could be taken once more";
  const database = openSideDatabase({ file: join(dataFolder, "senders.db"), log: needs.log, withoutIt });
  const seenIds = openSeenIds({ ...needs, database });
  const failures = failureDelays({ clock });
  const common = { apiKey, clock, seenIds, fetchJwks, failures };

  const senders = following(
    () => [current().senders, current().trustProxy] as const,
    ([given, trustProxy]) => createSenderCheck({ ...common, senders: given, trustProxy }),
  );
  const platform = following(
    () => [current().platform, current().trustProxy] as const,
    ([{ auth, addresses, openRoutes }, trustProxy]): PlatformGuard | null => {
      if (auth === undefined && addresses === undefined) return null;
      if (auth === undefined) return { judge: addressJudge(addresses ?? [], trustProxy), openRoutes };
      const sender = { auth, enabled: true, ...(addresses === undefined ? {} : { addresses }) };
      const check = createSenderCheck({ ...common, senders: { platform: sender }, trustProxy });
      return { judge: check.beforeBody, openRoutes };
    },
  );
  return {
    senders: {
      beforeBody: (request) => senders().beforeBody(request),
      check: (request, rawBody) => senders().check(request, rawBody),
      checkQuestion: (request) => senders().checkQuestion(request),
      follow: (app) => senders().follow(app),
    },
    platform,
    close: () => seenIds.close(),
  };
}

function addressJudge(addresses: readonly string[], trustProxy: readonly string[]): PlatformGuard["judge"] {
  const isAllowed = addressMatcher(addresses);
  const isProxy = addressMatcher(trustProxy);
  const refused: Refused = { status: 403, detail: "The platform does not call from this address." };
  return async (request) => (isAllowed(clientAddress(request, isProxy)) ? null : refused);
}

/** Made anew where what it is made from has changed: an issuer's keys are not fetched again for nothing. */
function following<Source extends readonly object[], Made>(
  source: () => Source,
  make: (source: Source) => Made,
): () => Made {
  let last: { readonly source: Source; readonly text: string; readonly made: Made } | null = null;
  return () => {
    const now = source();
    if (last?.source.every((one, index) => one === now[index])) return last.made;
    const text = JSON.stringify(now);
    last = { source: now, text, made: last?.text === text ? last.made : make(now) };
    return last.made;
  };
}
