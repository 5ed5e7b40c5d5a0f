import type { Config } from "../../config/config-schema.ts";
import type { AlertChannel, AlertStyle } from "../../engine/alarms/alarm.ts";
import { shared } from "../../kit/current-snapshot.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Snapshot, SnapshotChannels } from "../../runtime/snapshot.ts";

export interface ChannelNeeds {
  readonly clock: Clock;
  /** The adapter's own address, used if no public address is configured. It is known only when the adapter listens. */
  readonly ownUrl: () => string;
}

/** The channels of one configuration. Those of the previous snapshot are reused if their settings are unchanged. */
export function alertChannels(
  config: Config,
  before: Pick<Snapshot, "config" | "channels"> | null,
  needs: ChannelNeeds,
): SnapshotChannels {
  if (before !== null && textOf(before.config) === textOf(config)) return before.channels;
  const byName = channelsOf(config, needs);
  const close = async () => {
    for (const channel of byName.values()) channel.close();
  };
  return { ...shared(close), byName };
}

function textOf({ alarms, timeZone }: Config): string {
  const { webhook, email, language, publicUrl } = alarms;
  return JSON.stringify([webhook, email, language, publicUrl, timeZone]);
}

function channelsOf({ alarms, timeZone }: Config, { clock, ownUrl }: ChannelNeeds): ReadonlyMap<string, AlertChannel> {
  const { webhook, email, language } = alarms;
  const style = (): AlertStyle => {
    const { publicUrl = ownUrl() } = alarms;
    return { language, timeZone, publicUrl: publicUrl.replace(/\/+$/, "") };
  };
  const channels = new Map<string, AlertChannel>();
  // Loaded at the first alert: most deployments have no channel.
  if (webhook !== undefined) {
    channels.set(
      "webhook",
      lazy(async () => {
        const { webhookChannel } = await import("./webhook-channel.ts");
        return webhookChannel({ ...webhook, clock, style: style() });
      }),
    );
  }
  if (email !== undefined) {
    channels.set(
      "email",
      lazy(async () => {
        const { mailChannel } = await import("./mail-channel.ts");
        return mailChannel({ options: email, style: style() });
      }),
    );
  }
  return channels;
}

function lazy(open: () => Promise<AlertChannel>): AlertChannel {
  let opened: Promise<AlertChannel> | undefined;
  return {
    send: async (alert, signal) => {
      opened ??= open();
      const channel = await opened;
      await channel.send(alert, signal);
    },
    close: () => void opened?.then((channel) => channel.close()),
  };
}
