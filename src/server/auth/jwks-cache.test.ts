import { expect, onTestFinished, test } from "vitest";
import { tokenIssuer } from "../../../test/support/receivers/token-issuer.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { fetchJwks } from "../../runtime/sender-checks.ts";
import { tokenVerifier } from "./verify-jwt.ts";

/** A real token issuer on the loopback address. Its keys are fetched as the adapter fetches them. */
async function setUp() {
  const issuer = await tokenIssuer();
  onTestFinished(() => issuer.close());
  const clock = manualClock(Date.now());
  const members = { issuer: issuer.issuer, audience: "crossdock", clockSkewSeconds: 30 };
  const verify = tokenVerifier({ kind: "jwt", jwksUrl: issuer.jwksUrl, ...members }, { clock, fetchJwks });
  const long = { exp: Math.floor(Date.now() / 1000) + 10 * 86_400 };
  return { issuer, clock, verify, long };
}

test("the keys of the issuer are fetched once, not with every token", async () => {
  const { issuer, verify } = await setUp();
  for (let count = 0; count < 20; count++) expect(await verify(await issuer.sign())).toBe("right");
  expect(issuer.asked()).toBe(1);
});

test("a token signed with a new key makes the adapter fetch the keys again; made-up key names do so once in half a minute", async () => {
  const { issuer, clock, verify } = await setUp();
  expect(await verify(await issuer.sign())).toBe("right");
  clock.advance({ seconds: 31 });
  await issuer.rotate("second", { keepOld: true });
  expect(await verify(await issuer.sign())).toBe("right");
  expect(await verify(await issuer.sign({}, { kid: "first" }))).toBe("right");
  expect(issuer.asked()).toBe(2);
  for (let count = 0; count < 20; count++) {
    expect(await verify(await issuer.sign({}, { kid: `made up ${count}` }))).toHaveProperty("wrong");
  }
  expect(issuer.asked()).toBe(2);
});

test("a key that the issuer has withdrawn is no longer good once its keys are fetched again", async () => {
  const { issuer, clock, verify, long } = await setUp();
  const token = await issuer.sign(long);
  expect(await verify(token)).toBe("right");
  await issuer.rotate("second", { keepOld: false });
  clock.advance({ minutes: 11 });
  // The first check after ten minutes starts a fetch in the background.
  await verify(token);
  await expect.poll(() => verify(token)).toEqual({ wrong: "The issuer has no such key." });
});

test("while the issuer is down, known keys go on for a day; without any, nobody is told that a token is wrong", async () => {
  const { issuer, clock, verify, long } = await setUp();
  const token = await issuer.sign(long);
  issuer.setDown(true);
  expect(await verify(token)).toBe("unavailable");
  issuer.setDown(false);
  clock.advance({ seconds: 31 });
  expect(await verify(token)).toBe("right");
  issuer.setDown(true);
  clock.advance({ minutes: 23 * 60 });
  expect(await verify(token)).toBe("right");
  clock.advance({ minutes: 61 });
  expect(await verify(token)).toBe("unavailable");
});

test("new keys are fetched also after the clock was set back", async () => {
  const { issuer, clock, verify } = await setUp();
  const long = { exp: Math.floor(clock.now() / 1000) + 86_400 };
  clock.advance({ minutes: 60 });
  expect(await verify(await issuer.sign(long))).toBe("right");
  await issuer.rotate("second", { keepOld: false });
  clock.advance({ minutes: -60 });
  expect(await verify(await issuer.sign(long))).toBe("right");
});

test("a token is good for the allowed skew before and after its time, and not longer", async () => {
  const { issuer, clock, verify } = await setUp();
  const now = Math.floor(clock.now() / 1000);
  expect(await verify(await issuer.sign({ nbf: now + 25 }))).toBe("right");
  expect(await verify(await issuer.sign({ nbf: now + 40 }))).toHaveProperty("wrong");
  expect(await verify(await issuer.sign({ exp: now - 25 }))).toBe("right");
  expect(await verify(await issuer.sign({ exp: now - 40 }))).toEqual({ wrong: "The token has expired." });
});

test("a public key from a file does as well", async () => {
  const { issuer, clock } = await setUp();
  const auth = { kind: "jwt", issuer: issuer.issuer, audience: "crossdock", clockSkewSeconds: 0 } as const;
  const verify = tokenVerifier({ ...auth, publicKey: await issuer.publicPem() }, { clock, fetchJwks });
  expect(await verify(await issuer.sign())).toBe("right");
  expect(issuer.asked()).toBe(0);
});
