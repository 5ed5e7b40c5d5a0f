import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { leastStall, workedMs } from "../../../test/support/longest-stall.ts";
import type { HmacAuth } from "../../http-client/auth/auth-kinds.ts";
import { hmacVerifier } from "./verify-hmac.ts";

const auth = (members: Partial<HmacAuth>): HmacAuth => ({
  kind: "hmac",
  secrets: ["It's a Secret to Everybody"],
  toleranceSeconds: 300,
  rememberHours: 168,
  ...members,
});
const request = (headers: Record<string, string>, body: string | Uint8Array, nowMs = 0) => ({
  headers,
  method: "POST",
  path: "/inbound/items",
  body: typeof body === "string" ? Buffer.from(body) : body,
  nowMs,
});

test("GitHub's own example fits", async () => {
  const { verify } = hmacVerifier(auth({ preset: "github" }));
  const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  expect(await verify(request({ "x-hub-signature-256": signature }, "Hello, World!"))).toHaveProperty("deliveryId");
  expect(await verify(request({ "x-hub-signature-256": signature }, "Hello, World?"))).toHaveProperty("wrong");
});

test("the example of the Standard Webhooks specification fits, at its time", async () => {
  const { verify } = hmacVerifier(
    auth({ preset: "standard-webhooks", secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }),
  );
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  expect(await verify(request(headers, '{"test": 2432232314}', 1_614_265_330_000))).toEqual({
    deliveryId: "id msg_p5jXN8AQM9LWM0D4loKWxJek",
  });
});

test("no flipped bit passes, in the body, the id, the time or the signature", async () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const { verify } = hmacVerifier(auth({ preset: "standard-webhooks", secrets: [secret] }));
  const nowMs = 1_800_000_000_000;
  const signed = (body: Uint8Array, id: string) => ({
    "webhook-id": id,
    "webhook-timestamp": String(nowMs / 1000),
    "webhook-signature": new Webhook(secret).sign(id, new Date(nowMs), Buffer.from(body).toString("latin1")),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.stringMatching(/^[ -~]{1,200}$/),
      fc.stringMatching(/^[a-z0-9]{4,20}$/),
      fc.nat(),
      async (text, id, at) => {
        const body = Buffer.from(text);
        const headers = signed(body, id);
        if (!("deliveryId" in (await verify(request(headers, body, nowMs))))) return false;
        const flipped = Buffer.from(body);
        const bit = at % (flipped.length * 8);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const digest = Buffer.from(headers["webhook-signature"].slice(3), "base64");
        digest[at % digest.length] = (digest[at % digest.length] ?? 0) ^ (1 << (at & 7));
        const forged = [
          request(headers, flipped, nowMs),
          request({ ...headers, "webhook-id": `${id}x` }, body, nowMs),
          request({ ...headers, "webhook-timestamp": String(nowMs / 1000 + 1) }, body, nowMs),
          request({ ...headers, "webhook-signature": `v1,${digest.toString("base64")}` }, body, nowMs),
        ];
        return (await Promise.all(forged.map(verify))).every((verdict) => "wrong" in verdict);
      },
    ),
    { numRuns: 2_500 },
  );
});

test("of several signatures one is enough, in any place, and those of other versions are passed over", async () => {
  const { verify } = hmacVerifier(auth({ preset: "github" }));
  const right = `sha256=${createHmac("sha256", "It's a Secret to Everybody").update("x").digest("hex")}`;
  const header = `sha1=${"0".repeat(40)} sha256=${"0".repeat(64)} ${right}`;
  expect(await verify(request({ "x-hub-signature-256": header }, "x"))).toHaveProperty("deliveryId");
});

test.each(["", "sha256=", "sha256=zz", `sha256=${"0".repeat(63)}`, "0".repeat(64), "v1,abc"])(
  "the signature %j is wrong, and no error",
  async (header) => {
    const { verify } = hmacVerifier(auth({ preset: "github" }));
    expect(await verify(request({ "x-hub-signature-256": header }, "x"))).toHaveProperty("wrong");
  },
);

test("an id that is not signed is no name of the delivery: whoever recorded it could write another", async () => {
  const { verify } = hmacVerifier(auth({ preset: "github" }));
  const signature = `sha256=${createHmac("sha256", "It's a Secret to Everybody").update("x").digest("hex")}`;
  const first = await verify(request({ "x-hub-signature-256": signature, "x-github-delivery": "1" }, "x"));
  const second = await verify(request({ "x-hub-signature-256": signature, "x-github-delivery": "2" }, "x"));
  expect(first).toEqual(second);
});

test("the same delivery keeps its name while one secret takes over from the other", async () => {
  const secrets = ["new-secret-0123456789", "old-secret-0123456789"];
  const { verify } = hmacVerifier(auth({ preset: "shopify", secrets }));
  const names = await Promise.all(
    secrets.map((secret) =>
      verify(request({ "x-shopify-hmac-sha256": createHmac("sha256", secret).update("x").digest("base64") }, "x")),
    ),
  );
  expect(names[0]).toHaveProperty("deliveryId");
  expect(names[0]).toEqual(names[1]);
});

test("a body of many megabytes is verified while other requests run", async () => {
  const { verify } = hmacVerifier(auth({ preset: "github" }));
  const body = Buffer.alloc(32 * 2 ** 20);
  const start = workedMs();
  const signature = createHmac("sha256", "It's a Secret to Everybody").update(body).digest("hex");
  const atOnceMs = workedMs() - start;
  const verified = () => verify(request({ "x-hub-signature-256": `sha256=${signature}` }, body));
  expect(await verified()).toHaveProperty("deliveryId");
  expect(await leastStall(verified)).toBeLessThan(atOnceMs / 2);
});
