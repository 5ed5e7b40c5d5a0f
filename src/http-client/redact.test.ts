import fc from "fast-check";
import { expect, test } from "vitest";
import { redactor } from "./redact.ts";

const url = new URL("http://erp.example/");

test("no part of a secret remains where a long text is cut", () => {
  const secret = "hunter2-hunter2-hunter2";
  const redact = redactor({ values: [secret], headers: {}, url });
  fc.assert(
    fc.property(fc.nat(600), fc.nat(1_000), (secrets, filling) => {
      // Before the cut there are only secrets. Masking makes them shorter, so that the cut falls into the shown text.
      const text = `${secret.repeat(secrets + 800)}${"x".repeat(filling)}${secret.repeat(100_000)}`;
      expect(redact(text)).not.toContain("hunter");
    }),
    { numRuns: 20 },
  );
});

test("a long text is shortened to its beginning", () => {
  const redact = redactor({ values: ["secret-1"], headers: {}, url });
  const shown = redact(`begin secret-1 ${"y".repeat(5_000_000)}`);
  expect(shown.startsWith("begin *** yyy")).toBe(true);
  expect(shown.endsWith("…")).toBe(true);
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(2_048);
});

test("a secret is found as an address, a form or a login contains it", () => {
  const secret = "k&y/ü+1 2";
  const redact = redactor({ values: [secret], headers: {}, url });
  expect(redact(`GET https://erp/x?key=${encodeURIComponent(secret)}`)).toBe("GET https://erp/x?key=***");
  expect(redact(new URLSearchParams({ key: secret }).toString())).toBe("key=***");
  expect(redact(Buffer.from(`user:${secret}`).toString("base64"))).toMatch(/^dXNlcjp\w?\*\*\*$/);
});

test("a password in an address may contain a percent sign that begins no code", () => {
  const redact = redactor({ values: [], headers: {}, url: new URL("http://user:100%sure@erp.example/") });
  expect(redact("login with 100%sure")).toBe("login with ***");
});

test("a key in the address is found as it stands there, also with signs that have a meaning in a query", () => {
  const redact = redactor({ values: [], headers: {}, url: new URL("http://erp.example/hook?sig=s1g+na/ture==&a=1") });
  expect(redact("POST /hook?sig=s1g+na/ture==&a=1")).toBe("POST /hook?sig=***&a=1");
  expect(redact("sig: s1g na/ture==")).toBe("sig: ***");
});
