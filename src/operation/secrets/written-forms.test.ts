import fc from "fast-check";
import { expect, test } from "vitest";
import { writtenForms } from "./written-forms.ts";

const odd = `p&ss/w"örd <1>+~!`;

/** Texts in which a program may write the secret, other than as it is. */
const texts: Readonly<Record<string, (secret: string) => string>> = {
  json: (secret) => JSON.stringify({ echoed: secret }),
  "json in json": (secret) => JSON.stringify({ body: JSON.stringify({ echoed: secret }) }),
  "json of PHP": (secret) => JSON.stringify(secret).replaceAll("/", "\\/").replaceAll("ö", "\\u00f6"),
  "query string": (secret) => `https://erp/x?key=${encodeURIComponent(secret)}&a=1`,
  "query string in small letters": (secret) =>
    `?key=${encodeURIComponent(secret).replaceAll(/%\w\w/g, (digits) => digits.toLowerCase())}`,
  form: (secret) => new URLSearchParams({ a: "1", key: secret }).toString(),
  xml: (secret) => `<k>${secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</k>`,
};

const masked = (text: string, secret: string) =>
  writtenForms(secret)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, form) => rest.replaceAll(form, "***"), text);

test.each(Object.entries(texts))("a secret is found in %s", (_, written) => {
  const text = written(odd);
  expect(text).not.toContain(odd);
  expect(masked(text, odd)).toBe(masked(written("SECRET"), "SECRET"));
});

test("a password is found in Base64, whatever the name before it and whatever follows", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 20 }),
      fc.string({ minLength: 8, maxLength: 30 }),
      fc.string(),
      (user, password, rest) => {
        const secret = password.toWellFormed();
        for (const kind of ["base64", "base64url"] as const) {
          const text = Buffer.from(`${user}:${secret}${rest}`).toString(kind);
          const shown = Buffer.from(masked(text, secret).replaceAll("***", ""), kind);
          expect(masked(text, secret)).toContain("***");
          expect(shown.includes(secret)).toBe(false);
        }
      },
    ),
  );
});
