import { expect, onTestFinished, test } from "vitest";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { receiver } from "../../../test/support/receivers/receiver.ts";
import type { Resolve } from "../../http-client/network/address-guard.ts";
import { silentLog } from "../../kit/log.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { ok } from "../../operation/outcome.ts";
import { openWebhook } from "./connector.ts";

const address = (text: string) => ({ address: text, family: 4 });
const resolving =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address);

test("a name that resolves differently every time gets only checked connections", async () => {
  const { url, connections } = await receiver((response) => response.writeHead(204).end());
  const port = new URL(url).port;
  let asked = 0;
  const rebinding: Resolve = async () => {
    asked += 1;
    // First the allowed address comes first, where nobody listens; then only the address that the attack aims at.
    return asked % 2 === 1 ? [address("127.0.0.2"), address("127.0.0.1")] : [address("127.0.0.1")];
  };
  const connector = openWebhook(
    { url: `http://rebind.example:${port}/events`, allowHosts: ["rebind.example", "127.0.0.2"] },
    { clock: systemClock, log: silentLog, resolve: rebinding },
  );
  onTestFinished(() => connector.close());
  const attachment = { workOrderNumber: "1", containerCode: "C" };
  for (let time = 0; time < 20; time++) {
    const attempt = Promise.resolve(connector.operations.attachWorkOrder?.(attachment, deliveryContext()));
    await expect(attempt).rejects.toMatchObject({ kind: "unreachable" });
  }
  expect([asked, connections.length]).toEqual([20, 0]);
});

test("the same name is connected where its network is listed", async () => {
  const { url } = await receiver((response) => response.writeHead(204).end());
  const connector = openWebhook(
    { url: url.replace("127.0.0.1", "erp.example"), allowHosts: ["erp.example", "127.0.0.0/8"] },
    { clock: systemClock, log: silentLog, resolve: resolving("127.0.0.1") },
  );
  onTestFinished(() => connector.close());
  const attachment = { workOrderNumber: "1", containerCode: "C" };
  expect(await connector.operations.attachWorkOrder?.(attachment, deliveryContext())).toEqual(ok(null));
});
