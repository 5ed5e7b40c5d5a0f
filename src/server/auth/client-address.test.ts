import { expect, test } from "vitest";
import { addressMatcher, clientAddress } from "./sender-check.ts";

const from = (remoteAddress: string, forwarded?: string) =>
  clientAddress(
    // The only members that the function reads.
    { raw: { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } } as never,
    addressMatcher(["10.0.0.0/24", "fd00::/8"]),
  );

test.each([
  ["the socket's address, where no proxy is trusted there", "192.0.2.1", "203.0.113.9", "192.0.2.1"],
  ["what the trusted proxy says", "10.0.0.5", "203.0.113.9", "203.0.113.9"],
  [
    "the last one nobody of us wrote, not what the client made up before it",
    "10.0.0.5",
    "1.1.1.1, 203.0.113.9, 10.0.0.7",
    "203.0.113.9",
  ],
  ["the proxy itself, where it says nothing", "10.0.0.5", undefined, "10.0.0.5"],
  ["the last one that is an address", "10.0.0.5", "unknown, 10.0.0.7", "10.0.0.7"],
  ["IPv4 without its IPv6 clothes", "::ffff:10.0.0.5", "[2001:db8::1]", "2001:db8::1"],
  ["an IPv6 proxy's client", "fd00::1", "2001:db8::2", "2001:db8::2"],
  ["without its port, as IIS writes it", "10.0.0.5", "1.1.1.1, 203.0.113.9:52144", "203.0.113.9"],
  ["IPv6 without its port", "10.0.0.5", "[2001:db8::1]:52144", "2001:db8::1"],
  ["without quotes", "10.0.0.5", '"[2001:db8::1]:52144"', "2001:db8::1"],
  ["that of the client behind a proxy that writes ports", "10.0.0.5", "203.0.113.9:1, 10.0.0.7:2", "203.0.113.9"],
  ["the proxy itself, where it hides the caller", "10.0.0.5", "203.0.113.9, _hidden", "10.0.0.5"],
  ["the proxy itself, where something else stands there", "10.0.0.5", "203.0.113.9, 1.2.3.4:x", "10.0.0.5"],
])("the caller's address is %s", (_which, remote, forwarded, expected) => {
  expect(from(remote, forwarded)).toBe(expected);
});

test("lists hold single addresses and networks of both kinds; what is no address is in none", () => {
  const isListed = addressMatcher(["192.0.2.7", "10.1.0.0/16", "2001:db8::/32"]);
  expect(["192.0.2.7", "10.1.255.1", "2001:db8:1::1"].map(isListed)).toEqual([true, true, true]);
  expect(["192.0.2.8", "10.2.0.1", "2001:db9::1", "", "localhost"].map(isListed)).toEqual(Array(5).fill(false));
});
