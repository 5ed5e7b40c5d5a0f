import { expect, test } from "vitest";
import { storeUnusable } from "./store-unusable.ts";

const failed = (code: string) => Object.assign(new Error("it failed"), { code });

test("an address without host and user is named, where nothing else names them", () => {
  const { message } = storeUnusable(failed("ECONNREFUSED"), "postgres:///crossdock");
  expect(message).toContain("names no host and no user");
});

test.each([
  [
    "a socket and a user after the database",
    "ENOENT",
    "postgres:///crossdock?host=/run/postgresql&user=wms",
    "cannot be used: it failed",
  ],
  ["a user of the environment who lacks rights", "25006", "postgres://db.example/crossdock", "is read-only"],
])("with %s the address is not called incomplete", (_what, code, url, expected) => {
  expect(storeUnusable(failed(code), url).message).toContain(expected);
});
