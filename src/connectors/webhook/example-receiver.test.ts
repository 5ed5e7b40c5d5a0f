import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { isGenuine, webhookReceiver } from "../../../docs/examples/webhook-receiver.ts";
import { delivery, deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { ok } from "../../operation/outcome.ts";
import { webhook } from "./connector.ts";
import { requestHeaders, signingKey } from "./request-headers.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("the receiver in the documentation is the one in the examples", () => {
  const text = (file: string) => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8");
  expect(text("how-to/deliver-by-webhook.md")).toContain(text("examples/webhook-receiver.ts"));
});

test("the example processes an event once, however often it is sent", async () => {
  const taken: unknown[] = [];
  const server = webhookReceiver(secret, (topic, event) => taken.push([topic, event]));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  // The server listens on a port; only for a pipe would the address be a text.
  const { port } = server.address() as AddressInfo;
  const options = { url: `http://127.0.0.1:${port}/`, secrets: ["the old one", secret] };
  const connector = await webhook.open(options, openContext());
  onTestFinished(() => connector.close());
  const attachment = { workOrderNumber: "4711", containerCode: "C-9" };
  for (const attempt of [1, 2]) {
    expect(await connector.operations.attachWorkOrder?.(attachment, deliveryContext({ attempt }))).toEqual(ok(null));
  }
  expect(taken).toEqual([["crossdock.attachWorkOrder", attachment]]);
});

test("the example refuses an event that was changed, is too old, or was signed with another secret", async () => {
  const body = Buffer.from(delivery().body);
  const now = Date.UTC(2026, 0, 5, 8);
  const headers = await requestHeaders({
    delivery: delivery(),
    body,
    now,
    deployment: "d",
    keys: [signingKey(secret)],
  });
  expect(isGenuine(headers, body, secret, now)).toBe(true);
  expect(isGenuine({ ...headers, "webhook-id": "evt_2" }, body, secret, now)).toBe(false);
  expect(isGenuine(headers, Buffer.from(`${delivery().body} `), secret, now)).toBe(false);
  expect(isGenuine(headers, body, secret, now + 301_000)).toBe(false);
  expect(isGenuine(headers, body, "another", now)).toBe(false);
});
