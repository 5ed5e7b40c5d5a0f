import { createHash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { bodyDigest, pushKeys } from "./receive.ts";

// The function reads only the headers.
const withKey = (key?: string) =>
  ({ headers: key === undefined ? {} : { "idempotency-key": key } }) as unknown as FastifyRequest;
const shop = { sender: "shop", topics: null };

test("a push has the name of its key, and a signed one that of its delivery as well", () => {
  expect(pushKeys(withKey(), shop, "POST /a")).toEqual({ keys: [] });
  expect(pushKeys(withKey("k"), shop, "POST /a")).toEqual({ keys: ['["key","shop","POST /a","k"]'] });
  const signed = { ...shop, deliveryId: "shop msg_1" };
  expect(pushKeys(withKey("k"), signed, "POST /a")).toEqual({
    keys: ['["key","shop","POST /a","k"]', '["delivery","shop msg_1"]'],
  });
});

test("no two senders, routes and keys can be written so that they have one name", () => {
  const names = [
    pushKeys(withKey('b","c'), { ...shop, sender: "a" }, "POST /x"),
    pushKeys(withKey("c"), { ...shop, sender: 'a","b' }, "POST /x"),
  ];
  expect(names[0]).not.toEqual(names[1]);
});

test.each([0, 1000, 300_000])("the digest of %i bytes is the same whichever way it is made", async (size) => {
  const body = randomBytes(size);
  expect(await bodyDigest(body)).toBe(createHash("sha256").update(body).digest("base64url"));
});
