import { expect, onTestFinished, test, vi } from "vitest";
import { webhookChannel } from "../../src/app/alarms/webhook-channel.ts";
import { files } from "../../src/connectors/files/connector.ts";
import { http } from "../../src/connectors/http/connector.ts";
import { webhook } from "../../src/connectors/webhook/connector.ts";
import type { Alert } from "../../src/engine/alarms/alarm.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { say } from "../../src/messages/message.ts";
import { fetchJwks } from "../../src/runtime/sender-checks.ts";
import { deliveryContext } from "../support/connectors/delivery.ts";
import { openContext } from "../support/connectors/open-context.ts";
import { forwardProxy } from "../support/receivers/forward-proxy.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const alert: Alert = {
  ...{ id: "a-1", change: "raised", at: 0 },
  alarm: { kind: "refused", subject: "erp", text: say("items.no-image", { number: "1" }), entries: [], since: 0 },
};

const calls: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  "the connector webhook": async (url) => {
    const connector = await webhook.open({ url }, openContext());
    onTestFinished(() => connector.close());
    const input = { workOrderNumber: "1", containerCode: "C" };
    return connector.operations.attachWorkOrder?.(input, deliveryContext());
  },
  "the connector http": async (url) => {
    const connector = await http.open({ baseUrl: new URL(url).origin }, openContext());
    onTestFinished(() => connector.close());
    return connector.check?.();
  },
  "images of the connector files": async (url) => {
    const location = temporaryFolder();
    const connector = await files.open({ location, images: { url: `${url}/{itemNumber}.png` } }, openContext());
    onTestFinished(() => connector.close());
    const context = { language: "en", signal: new AbortController().signal } as const;
    return connector.operations.getItemImage?.({ number: "1" }, context);
  },
  "the keys of an issuer": async (url) => fetchJwks(url),
  "an alarm": async (url) => {
    const style = { language: "en", timeZone: "UTC", publicUrl: "http://adapter.example" } as const;
    const channel = webhookChannel({ url, secrets: [], clock: systemClock, style });
    onTestFinished(() => channel.close());
    return channel.send(alert, new AbortController().signal);
  },
};

test.each(Object.keys(calls))("%s goes through the proxy that the environment names", async (name) => {
  const far = await receiver((response, { path }) =>
    path.endsWith(".png")
      ? response.end(png)
      : response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
  const proxy = await forwardProxy();
  vi.stubEnv("http_proxy", proxy.url);
  vi.stubEnv("no_proxy", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  // A name that only the proxy knows.
  await calls[name]?.(far.url.replace("127.0.0.1", "far.example"));
  expect(proxy.seen.map(({ target }) => new URL(target).hostname)).toEqual(["far.example"]);
  expect(far.requests).toHaveLength(1);
});

test.each([
  ["webhook", () => webhook.validate?.({ url: "https://erp.example", proxy: "socks5://p.example" }), "proxy"],
  ["http", () => http.validate?.({ baseUrl: "https://erp.example", proxy: "socks5://p.example" }), "proxy"],
  ["files", () => files.validate?.({ location: "/x", images: { proxy: "socks5://p.example" } }), "images.proxy"],
])("a proxy that %s cannot use is refused when the configuration is loaded", async (_name, problems, path) => {
  const found = (await problems()) ?? [];
  expect(found.map((one) => [[one.path].flat().join("."), one.text])).toEqual([
    [path, expect.stringContaining("only http and https proxies")],
  ]);
});
