import { expect, test } from "vitest";
import { Fault } from "../../operation/fault.ts";
import { addressGuard, type Resolve } from "./address-guard.ts";

const address = (text: string) => ({ address: text, family: text.includes(":") ? 6 : 4 });
const resolving =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address);

/** The addresses that the guard allows for a name that resolves to these addresses. */
function allowedFor(options: { url?: string; allowHosts?: string[]; allowPrivate?: boolean }, ...addresses: string[]) {
  const { url = "http://erp.example/", allowHosts, allowPrivate } = options;
  const guard = addressGuard({ url: new URL(url), allowHosts, allowPrivate, resolve: resolving(...addresses) });
  return new Promise<readonly string[]>((resolve, reject) => {
    guard(new URL(url).hostname, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(Array.isArray(found) ? found.map((one) => one.address) : []);
    });
  });
}

const forbidden = [
  ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.1.1"],
  ...["169.254.169.254", "169.254.0.1", "100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1"],
  ...[
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
  ],
  ...["::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "fe80::1", "fc00::1"],
  ...["fd00:ec2::254", "fec0::1", "ff02::1"],
];

test.each(forbidden)("a public name that resolves to %s is not connected", async (text) => {
  await expect(allowedFor({}, text)).rejects.toThrow(/allowPrivate/);
});

test.each([
  "93.184.215.14",
  "8.8.8.8",
  "172.32.0.1",
  "100.128.0.1",
  "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
  "::ffff:8.8.8.8",
])("a public name that resolves to %s is connected", async (text) => {
  expect(await allowedFor({}, text)).toEqual([text]);
});

test("of several addresses only the allowed ones are tried", async () => {
  expect(await allowedFor({}, "127.0.0.1", "8.8.8.8", "::1")).toEqual(["8.8.8.8"]);
});

test("private addresses are connected where that is configured, by a switch or by their network", async () => {
  expect(await allowedFor({ allowPrivate: true }, "10.1.2.3")).toEqual(["10.1.2.3"]);
  const allowHosts = ["erp.example", "10.1.0.0/16", "fd00::/8"];
  expect(await allowedFor({ allowHosts }, "10.1.2.3", "10.2.2.3", "fd00::7")).toEqual(["10.1.2.3", "fd00::7"]);
});

test("localhost may be on loopback and nowhere else", async () => {
  const url = "http://localhost:99/";
  expect(await allowedFor({ url }, "::1", "127.0.0.1", "10.0.0.1")).toEqual(["::1", "127.0.0.1"]);
  await expect(allowedFor({ url, allowPrivate: false }, "127.0.0.1")).rejects.toThrow(Fault);
});

test.each([
  ["http://evil.example/", ["erp.example"]],
  ["http://erp.example.evil.example/", ["erp.example"]],
  ["http://erp.example@evil.example/", ["erp.example"]],
  ["http://10.2.0.1/", ["10.1.0.0/16"]],
  ["http://erp.example/", []],
])("%s is refused where only %j may be connected", (url, allowHosts) => {
  expect(() => allowedFor({ url, allowHosts })).toThrow(/allowHosts/);
});

test.each([
  ["http://ERP.example/", ["erp.Example"]],
  ["http://10.1.2.3/", ["10.1.0.0/16"]],
  ["http://[fd00::7]/", ["[fd00::7]"]],
])("%s is in the list %j", (url, allowHosts) => {
  expect(() => void allowedFor({ url, allowHosts }, "8.8.8.8")).not.toThrow();
});

// A URL reads all of these as 127.0.0.1, although they look different.
const loopbackForms = [
  ...["127.0.0.1", "127.1", "127.0.1", "0177.1", "0177.0.0.01", "0x7f.1", "0x7f000001", "2130706433", "017700000001"],
  ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::1]", "①②⑦.0.0.1", "127。0。0。1"],
];

test.each(loopbackForms)(
  "http://%s/ is refused where private addresses are not allowed, and where others are listed",
  (host) => {
    const url = `http://${host}/`;
    expect(() => allowedFor({ url, allowPrivate: false })).toThrow(Fault);
    expect(() => allowedFor({ url, allowHosts: ["erp.example"] })).toThrow(Fault);
  },
);
