import { expect, test } from "vitest";
import { type BannerFacts, banner } from "./banner.ts";

const facts: BannerFacts = {
  version: "1.2.3",
  url: "http://127.0.0.1:8080/adapter",
  apiKey: { key: "cd_secret", isNew: true, file: "/srv/my data/api-key" },
  dataFolder: "/srv/my data",
  configFile: null,
  sample: { orders: 10, items: 12, scanCode: "SO 1", storage: "Main" },
};

test("it names address, documentation, data and the commands to try next", () => {
  const text = banner(facts, { colour: false });
  for (const part of [
    "Crossdock 1.2.3",
    "http://127.0.0.1:8080/adapter/docs",
    "/srv/my data",
    "10 orders and 12 items",
    "curl 'http://127.0.0.1:8080/adapter/WorkOrders'",
    "/inbound/work-orders",
    "Code=SO%201&StorageName=Main",
  ]) {
    expect(text).toContain(part);
  }
});

test("the key is shown on the first start only", () => {
  expect(banner(facts, { colour: false })).toContain("cd_secret");
  const later = banner({ ...facts, apiKey: { ...facts.apiKey, isNew: false } }, { colour: false });
  expect(later).not.toContain("cd_secret");
  expect(later).toContain("in /srv/my data/api-key");
  expect(later).toContain("$(cat '/srv/my data/api-key')");
});

test("a key from the environment is never shown", () => {
  const text = banner({ ...facts, apiKey: { key: "cd_secret", isNew: false } }, { colour: false });
  expect(text).not.toContain("cd_secret");
  expect(text).toContain("$CROSSDOCK_API_KEY");
});

test("it has colours on a terminal and none elsewhere", () => {
  expect(banner(facts, { colour: true })).toContain("\u001b[");
  expect(banner(facts, { colour: false })).not.toContain("\u001b");
});
