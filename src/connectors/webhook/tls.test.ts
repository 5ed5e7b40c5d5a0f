import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { silentLog } from "../../kit/log.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { ok } from "../../operation/outcome.ts";
import { openWebhook } from "./connector.ts";
import type { WebhookOptions } from "./options.ts";

const file = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/tls/localhost.${name}`, import.meta.url), "utf8");

/** A receiver with a self-made certificate; returns its port and the requests it received. */
async function secureReceiver() {
  const received: string[] = [];
  const server = createServer({ cert: file("crt"), key: file("key") }, (request, response) => {
    received.push(request.method ?? "");
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  // The server listens on a port; only for a pipe would the address be a text.
  return { port: (server.address() as AddressInfo).port, received };
}

async function attach(options: WebhookOptions) {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const connector = openWebhook(options, { clock: systemClock, log: silentLog, resolve });
  onTestFinished(() => connector.close());
  const attachment = { workOrderNumber: "1", containerCode: "C" };
  return connector.operations.attachWorkOrder?.(attachment, deliveryContext());
}

test("a receiver with an untrusted certificate gets nothing", async () => {
  const { port, received } = await secureReceiver();
  await expect(attach({ url: `https://localhost:${port}/` })).rejects.toMatchObject({ kind: "unreachable" });
  expect(received).toEqual([]);
});

test("a configured certificate is trusted, but only for its own name", async () => {
  const { port, received } = await secureReceiver();
  expect(await attach({ url: `https://localhost:${port}/`, ca: file("crt") })).toEqual(ok(null));
  const other = { url: `https://erp.example:${port}/`, allowPrivate: true, ca: file("crt") };
  await expect(attach(other)).rejects.toMatchObject({ kind: "unreachable" });
  expect(received).toEqual(["POST"]);
});
