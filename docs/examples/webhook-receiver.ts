import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const maxAgeSeconds = 300;

/** Whether a request comes from the adapter and nobody has touched it: the body as bytes, before any parsing. */
export function isGenuine(headers: Record<string, unknown>, body: Buffer, secret: string, nowMs: number): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > maxAgeSeconds) return false;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return String(signatures)
    .split(" ")
    .map((signature) => Buffer.from(signature.replace(/^v1,/, ""), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** Takes each event once. Remember the ids in your database, with what the event changes, for eight days at least. */
export function webhookReceiver(secret: string, take: (topic: string, event: unknown) => void) {
  const seen = new Set<string>();
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const id = String(request.headers["webhook-id"]);
      if (!isGenuine(request.headers, body, secret, Date.now())) return response.writeHead(401).end();
      if (!seen.has(id)) take(String(request.headers["ce-type"]), JSON.parse(body.toString()));
      seen.add(id);
      return response.writeHead(204).end();
    });
  });
}

// As a program it prints what it takes.
if (import.meta.main) {
  const { WEBHOOK_SECRET: secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", RECEIVER_PORT: port = "9000" } =
    process.env;
  const receiver = webhookReceiver(secret, (topic, event) => console.log(topic, JSON.stringify(event)));
  receiver.listen(Number(port), "127.0.0.1", () => console.log(`waiting for events on http://127.0.0.1:${port}`));
}
