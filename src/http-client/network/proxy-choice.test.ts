import { expect, test } from "vitest";
import { Fault } from "../../operation/fault.ts";
import { type Environment, proxyFor, proxyProblem } from "./proxy-choice.ts";

const one = "http://one.example:3128";
const two = "http://two.example:3129";
const choice = (url: string, environment: Environment, proxy?: string) =>
  proxyFor(new URL(url), { environment, proxy })?.origin ?? null;

test("the proxy of the environment depends on the protocol of the address; lower-case variables have precedence", () => {
  const environment = { HTTPS_PROXY: one, HTTP_PROXY: two };
  expect(choice("https://erp.example/", environment)).toBe(one);
  expect(choice("http://erp.example/", environment)).toBe(two);
  expect(choice("https://erp.example/", { HTTP_PROXY: two })).toBeNull();
  expect(choice("https://erp.example/", { https_proxy: two, HTTPS_PROXY: one })).toBe(two);
  expect(choice("https://erp.example/", { HTTPS_PROXY: " " })).toBeNull();
  expect(choice("https://erp.example/", { HTTPS_PROXY: "one.example:3128" })).toBe(one);
});

test("the configuration has precedence over the environment, and `none` means without a proxy", () => {
  expect(choice("https://erp.example/", { HTTPS_PROXY: one, NO_PROXY: "*" }, two)).toBe(two);
  expect(choice("https://erp.example/", { HTTPS_PROXY: one }, "none")).toBeNull();
});

test.each([
  "http://localhost:8080/",
  "http://erp.localhost/",
  "http://127.0.0.1/",
  "http://127.8.8.8/",
  "http://[::1]/",
])("%s is never reached through a proxy of the environment", (url) => {
  expect(choice(url, { HTTP_PROXY: one })).toBeNull();
  expect(choice(url, {}, one)).toBe(one);
});

test.each([
  ["*", "https://erp.example/"],
  ["erp.example", "https://erp.example/"],
  ["ERP.Example", "https://erp.example/"],
  ["erp.example.", "https://erp.example/"],
  ["erp.example", "https://erp.example./"],
  ["example", "https://erp.example/"],
  [".example", "https://erp.example/"],
  [".erp.example", "https://erp.example/"],
  ["*.example", "https://erp.example/"],
  ["erp.example:443", "https://erp.example/"],
  ["erp.example:8443", "https://erp.example:8443/"],
  ["other.example, erp.example", "https://erp.example/"],
  ["other.example erp.example", "https://erp.example/"],
  ["10.1.2.3", "https://10.1.2.3/"],
  ["10.0.0.0/8", "https://10.1.2.3/"],
  ["10.1.2.3:8443", "https://10.1.2.3:8443/"],
  ["fd00::/8", "https://[fd00::7]/"],
  ["fd00::7", "https://[fd00::7]/"],
  ["[fd00::7]", "https://[fd00::7]/"],
  ["[fd00::7]:8443", "https://[fd00::7]:8443/"],
])("NO_PROXY=%s exempts %s", (list, url) => {
  expect(choice(url, { HTTPS_PROXY: one, NO_PROXY: list })).toBeNull();
  expect(choice(url, { HTTPS_PROXY: one, no_proxy: list })).toBeNull();
});

test.each([
  ["", "https://erp.example/"],
  ["erp.example", "https://myerp.example/"],
  ["erp.example", "https://erp.example.evil.example/"],
  ["*.erp.example", "https://erp.example/"],
  ["erp.example:80", "https://erp.example/"],
  ["*:80", "https://erp.example/"],
  ["10.0.0.0/8", "https://11.1.2.3/"],
  ["10.0.0.0/8", "https://erp.example/"],
  ["[fd00::7]:80", "https://[fd00::7]/"],
  ["fd00::7", "https://[fd00::8]/"],
])("NO_PROXY=%s does not exempt %s", (list, url) => {
  expect(choice(url, { HTTPS_PROXY: one, NO_PROXY: list })).toBe(one);
});

test.each([
  "socks5://proxy.example:1080",
  "http://",
  "http://proxy.example/path",
  "http://user:geheim1@proxy.example:x",
])("%s is no proxy, and what it says is not repeated", (text) => {
  expect(() => choice("https://erp.example/", { HTTPS_PROXY: text })).toThrow(Fault);
  expect(() => choice("https://erp.example/", { HTTPS_PROXY: text })).toThrow(/^HTTPS_PROXY: /);
  expect(() => choice("https://erp.example/", {}, text)).toThrow(/^proxy: /);
  expect(proxyProblem(text)).not.toContain("geheim1");
});
