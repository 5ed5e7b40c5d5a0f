import type { AlertChannel } from "../../engine/alarms/alarm.ts";
import { newId } from "../../kit/ids.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { say } from "../../messages/message.ts";
import type { ChannelResult } from "../../server/workshop/access-routes.ts";

export interface TestNeeds {
  readonly channels: ReadonlyMap<string, AlertChannel>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A refusal may repeat the password or the token of a channel. */
  readonly maskSecrets: (text: string) => string;
}

const patienceMs = 20_000;
const longestDetail = 500;

/** Sends one test alarm over every channel, at once and without a retry, and returns the result of each. */
export async function testChannels(needs: TestNeeds, operator: string): Promise<readonly ChannelResult[]> {
  const { channels, clock, timers, maskSecrets } = needs;
  return await Promise.all(
    [...channels].map(async ([channel, { send }]) => {
      const patience = new AbortController();
      const cancel = timers.after(patienceMs, () => patience.abort());
      const now = clock.now();
      const alarm = {
        kind: "test",
        subject: "",
        text: say("alarms.test", { operator }),
        since: now,
        entries: [],
      } as const;
      try {
        await send({ id: `alert_${newId(clock)}`, change: "raised", at: now, alarm }, patience.signal);
        return { channel, isSent: true, detail: null };
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        return { channel, isSent: false, detail: maskSecrets(text).slice(0, longestDetail) };
      } finally {
        cancel();
      }
    }),
  );
}
