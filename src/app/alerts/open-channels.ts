import type { Clock } from "../../kit/clock.ts";
import type { Config } from "../config-schema.ts";
import type { AlertChannel, AlertStyle } from "./alert-channel.ts";

export interface AlertChannels {
  readonly names: () => readonly string[];
  readonly current: () => ReadonlyMap<string, AlertChannel>;
  readonly close: () => void;
}

/** The channels of the configuration that holds now; made anew where what they are made from has changed. */
export function openChannels(needs: {
  readonly current: () => Config;
  readonly clock: Clock;
  /** Where the adapter listens, for those who say nothing else. */
  readonly ownUrl: () => string;
}): AlertChannels {
  let made: { readonly text: string; readonly channels: ReadonlyMap<string, AlertChannel> } = {
    text: "",
    channels: new Map(),
  };

  const open = ({ alarms, timeZone }: Config): ReadonlyMap<string, AlertChannel> => {
    const { webhook, email, language, publicUrl = needs.ownUrl() } = alarms;
    const style: AlertStyle = { language, timeZone, publicUrl: publicUrl.replace(/\/+$/, "") };
    const channels = new Map<string, AlertChannel>();
    // Loaded when there is something to send: most adapters tell nobody.
    if (webhook !== undefined) {
      channels.set(
        "webhook",
        lazy(async () => {
          const { webhookChannel } = await import("./webhook-channel.ts");
          return webhookChannel({ ...webhook, clock: needs.clock, style });
        }),
      );
    }
    if (email !== undefined) {
      channels.set(
        "email",
        lazy(async () => {
          const { mailChannel } = await import("./mail-channel.ts");
          return mailChannel({ options: email, style });
        }),
      );
    }
    return channels;
  };

  const current = () => {
    const { alarms, timeZone } = needs.current();
    const { webhook, email, language, publicUrl } = alarms;
    const text = JSON.stringify([webhook, email, language, publicUrl, timeZone]);
    if (made.text !== text) {
      for (const channel of made.channels.values()) channel.close();
      made = { text, channels: open(needs.current()) };
    }
    return made.channels;
  };

  return {
    names: () => [...current().keys()],
    current,
    close: () => {
      for (const channel of made.channels.values()) channel.close();
    },
  };
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
