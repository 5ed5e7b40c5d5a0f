import { sign, signingKey } from "../../connectors/webhook/request-headers.ts";
import { type Alert, type AlertChannel, type AlertStyle, timelineLink } from "../../engine/alarms/alarm.ts";
import { httpClient } from "../../http-client/http-client.ts";
import { defaultTimeouts } from "../../http-client/network/connection-pool.ts";
import { systemNetwork } from "../../http-client/network/proxy-choice.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { localise } from "../../messages/localise.ts";
import { Fault } from "../../operation/fault.ts";

const maxAnswerBytes = 64 * 1024;

/** Sends one POST per alert, signed by the Standard Webhooks scheme. The alert's id is the idempotency key. */
export function webhookChannel(needs: {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly style: AlertStyle;
}): AlertChannel {
  const url = new URL(needs.url);
  const keys = needs.secrets.map(signingKey);
  const client = httpClient({
    url,
    // Receivers usually run in the same private network, and the operator has configured the address.
    allowPrivate: true,
    timeouts: defaultTimeouts,
    maxAnswerBytes,
    decodes: false,
    ...systemNetwork,
  });
  return {
    send: async (alert, signal) => {
      const body = Buffer.from(JSON.stringify(alertBody(alert, needs.style)));
      const timestampSeconds = Math.floor(needs.clock.now() / 1000);
      const headers = {
        "content-type": "application/json",
        "content-length": String(body.length),
        accept: "application/json",
        "idempotency-key": `"${alert.id}"`,
        "webhook-id": alert.id,
        "webhook-timestamp": String(timestampSeconds),
        ...(keys.length === 0 ? {} : { "webhook-signature": await sign(keys, alert.id, timestampSeconds, body) }),
      };
      const { status } = await client.send({ method: "POST", url, headers, body, signal });
      // A redirect counts as a failure: it does not say whether anybody received the alert.
      if (status < 200 || status > 299) throw new Fault("rejected", `${url.origin} answered ${status}`);
    },
    close: () => client.close(),
  };
}

/** The body that a receiver gets; docs/how-to/alarms.md shows an example. */
function alertBody({ id, change, at, alarm }: Alert, { language, publicUrl }: AlertStyle) {
  const { kind, subject, text, since, entries } = alarm;
  return {
    id,
    change,
    alarm: kind,
    subject,
    text: localise(text, language),
    at: new Date(at).toISOString(),
    since: new Date(since).toISOString(),
    adapter: publicUrl,
    entries: entries.map(({ seq, id: entry, orders, event, topic, target, lastAnswer, receivedAt }) => ({
      entry,
      seq,
      orders,
      event,
      topic,
      target,
      lastAnswer,
      receivedAt: new Date(receivedAt).toISOString(),
      timelines: orders.map((order) => timelineLink(publicUrl, order)),
    })),
  };
}
