import { createHash, createHmac } from "node:crypto";
import { attributeText } from "../../http-client/http-client.ts";
import { hashInTurns } from "../../kit/hash-in-turns.ts";
import { orderOfLane } from "../../operation/lane.ts";
import type { Delivery } from "../../sdk/connector.ts";

export interface HeaderNeeds {
  readonly delivery: Delivery;
  readonly body: Uint8Array;
  readonly now: number;
  readonly deployment: string;
  readonly keys: readonly Buffer[];
}

// Receivers commonly accept 8 KB of headers in total; a relocation may have hundreds of lanes.
const maxValueLength = 2_000;

/** The headers of an event: its source, its id, its place in the order, and the signature. */
export async function requestHeaders({
  delivery,
  body,
  now,
  deployment,
  keys,
}: HeaderNeeds): Promise<Record<string, string>> {
  const { entryId, topic, lanes, replay, possibleRepeatOf } = delivery;
  const timestampSeconds = Math.floor(now / 1000);
  const order = lanes.map(({ lane }) => orderOfLane(lane)).find((number) => number !== null);
  const subject = attributeText(order ?? "");
  const digest = createHash("sha256");
  await hashInTurns([digest], body);
  return {
    "content-type": "application/json",
    "content-length": String(body.length),
    "content-digest": `sha-256=:${digest.digest("base64")}:`,
    accept: "application/json",
    // The limit applies to the received bytes; a compressed answer could expand beyond it.
    "accept-encoding": "identity",
    "idempotency-key": `"${entryId}"`,
    "webhook-id": entryId,
    "webhook-timestamp": String(timestampSeconds),
    ...(keys.length === 0 ? {} : { "webhook-signature": await sign(keys, entryId, timestampSeconds, body) }),
    "ce-specversion": "1.0",
    "ce-id": entryId,
    "ce-source": attributeText(deployment),
    "ce-type": `crossdock.${attributeText(topic)}`,
    ...(subject === "" || subject.length > maxValueLength ? {} : { "ce-subject": subject }),
    "ce-time": new Date(delivery.receivedAt).toISOString(),
    "crossdock-seq": String(delivery.seq),
    "crossdock-key-seq": laneText(lanes),
    "crossdock-attempt": String(delivery.attempt),
    ...(replay > 0 ? { "crossdock-replay": String(replay) } : {}),
    ...(possibleRepeatOf === undefined ? {} : { "crossdock-possible-repeat": possibleRepeatOf }),
  };
}

/** For example `wo:4711=3, ct:C-9=12`. Names are percent-encoded; `more=7` is the number of lanes that did not fit. */
function laneText(lanes: Delivery["lanes"]): string {
  let text = "";
  for (const [index, { lane, position }] of lanes.entries()) {
    const part = `${text === "" ? "" : ", "}${encodeURIComponent(lane).replace("%3A", ":")}=${position}`;
    if (text.length + part.length > maxValueLength)
      return `${text}${text === "" ? "" : ", "}more=${lanes.length - index}`;
    text += part;
  }
  return text;
}

const prefix = "whsec_";

/** The key of a secret: Base64 after `whsec_`, otherwise the text itself. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret);

/** A Standard Webhooks signature: one part per key, so that the receiver can switch from one key to the next. */
export async function sign(
  keys: readonly Buffer[],
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
): Promise<string> {
  const hmacs = keys.map((key) => createHmac("sha256", key).update(`${id}.${timestampSeconds}.`));
  await hashInTurns(hmacs, body);
  return hmacs.map((hmac) => `v1,${hmac.digest("base64")}`).join(" ");
}
