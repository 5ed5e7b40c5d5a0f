import { createOutbox } from "../../engine/delivery/create-outbox.ts";
import type { OutboxNeeds } from "../../engine/delivery/outbox.ts";
import { followMoves } from "../../engine/intake/accept.ts";
import { newReference } from "../../kit/ids.ts";
import type { Open } from "../../kit/open-all.ts";
import { eventThread } from "../../large-bodies/event-thread.ts";
import { openSeenIds } from "../../server/auth/open-seen-ids.ts";
import { createRequestLog } from "../log/request-log.ts";
import type { OpenDataFolder } from "./open-data-folder.ts";
import type { OpenWatch } from "./open-watch.ts";
import type { Surroundings } from "./start-options.ts";

/** The time limit for stopping deliveries. With the server's own limit, a stop takes at most five seconds. */
const stopDeliveriesMs = 1_500;

export type OpenDelivery = Awaited<ReturnType<typeof openDelivery>>;

/**
 * Opens what accepts and delivers events: the outbox, the thread for large events, and the message ids that senders
 * have already used.
 */
export async function openDelivery(
  needs: Surroundings & Pick<OutboxNeeds, "targets"> & { readonly onTouched: NonNullable<OutboxNeeds["onTouched"]> },
  { journal, read, side }: OpenDataFolder,
  { watch }: Pick<OpenWatch, "watch">,
  open: Open,
) {
  const { config, clock, timers, log, lines, tracing, targets, onTouched } = needs;
  const requests = createRequestLog({ log, clock, maskSecrets: lines.maskSecrets, entry: read.brief });
  const followed = requests.following(journal);
  const openOutbox = () =>
    createOutbox({
      ...{ journal: followed, clock, timers, log, onTouched, tracing, targets },
      random: Math.random,
      newToken: newReference,
      onAttempt: watch.onAttempt,
      maskSecrets: lines.maskSecrets,
      mayDeliver: needs.replica?.isOurs,
      settings: { concurrency: config.events.concurrency },
    });
  const outbox = await open("outbox", openOutbox, (one) => one.stop(stopDeliveriesMs));
  // Not only when the adapter closes: by then another process may have delivered later events.
  void needs.replica?.lost.then(outbox.abandon);
  followMoves({ journal, outbox, onTouched });
  const events = await open("large events", eventThread, (one) => one.close());
  const openSenders = () => openSeenIds({ ...side, clock, timers });
  const seenIds = await open("senders", openSenders, (one) => one.close());
  return { requests, followed, outbox, events, seenIds };
}
