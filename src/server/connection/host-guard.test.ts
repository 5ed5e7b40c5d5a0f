import { describe, expect, test } from "vitest";
import { hostGuard } from "./host-guard.ts";

const request = (...hosts: string[]) => ({
  rawHeaders: ["Accept", "*/*", ...hosts.flatMap((host) => ["hOsT", host])],
  httpVersionMajor: 1,
  httpVersionMinor: 1,
});

describe("on a loopback address", () => {
  const check = hostGuard({ isLoopback: true, hosts: undefined });

  test.each(["127.0.0.1:8080", "127.0.0.1", "localhost", "LocalHost:1", "app.localhost", "[::1]:8080", "10.0.0.7"])(
    "%s is right: nobody else can have it",
    (host) => {
      expect(check(request(host))).toBeNull();
    },
  );

  test.each(["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", ""])(
    "the name %s is refused: a web page may have pointed it here",
    (host) => {
      expect(check(request(host))).toMatchObject({ status: 421 });
    },
  );

  test("names of the setting are right", () => {
    const listed = hostGuard({ isLoopback: true, hosts: ["Adapter.example.com"] });
    expect(listed(request("adapter.EXAMPLE.com:443"))).toBeNull();
    expect(listed(request("other.example.com"))).toMatchObject({ status: 421 });
  });
});

test("on any other address every name is right, unless the setting says which", () => {
  expect(hostGuard({ isLoopback: false })(request("any.example"))).toBeNull();
  expect(hostGuard({ isLoopback: false, hosts: ["a.example"] })(request("any.example"))).not.toBeNull();
});

test("a request has one Host header, unless it is of HTTP/1.0", () => {
  const check = hostGuard({ isLoopback: true });
  expect(check(request())).toMatchObject({ status: 400 });
  expect(check(request("localhost", "localhost"))).toMatchObject({ status: 400 });
  expect(check({ ...request(), httpVersionMinor: 0 })).toBeNull();
});
