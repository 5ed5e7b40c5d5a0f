import { expect, test } from "vitest";
import { writtenForms } from "../../operation/secrets/written-forms.ts";
import { redactor, secretMask } from "./resolve-text.ts";

const longestForm = (secret: string) => Math.max(...writtenForms(secret).map(({ length }) => length));

test("a mask knows the length of its longest secret, those of the configuration before included", () => {
  const { mask, learn } = secretMask();
  expect(mask.longest).toBe(0);
  learn({ apiKey: "k".repeat(30) }, redactor(["r".repeat(20)]));
  // In whatever form it is written.
  expect(longestForm("k".repeat(30))).toBe(40);
  expect(mask.longest).toBe(40);
  const quoted = `${"r".repeat(40)}"`;
  learn({ apiKey: "k".repeat(10) }, redactor([quoted]));
  expect(mask.longest).toBe(longestForm(quoted));
  learn({});
  expect(mask.longest).toBe(longestForm(quoted));
  learn({});
  expect(mask.longest).toBe(0);
});

test("certificates are public: only the key beside them is masked, and they make no text slow to mask", () => {
  const pem = (kind: string, line: string) => `-----BEGIN ${kind}-----\n${line}\n-----END ${kind}-----\n`;
  const certificate = pem("CERTIFICATE", "MIIDcertificate0123456789");
  const key = pem("PRIVATE KEY", "MIIEkey0123456789");
  const mask = redactor([certificate + key]);
  const masked = mask(`${certificate} ${key}`);
  expect(masked).toContain("MIIDcertificate0123456789");
  expect(masked).not.toContain("MIIEkey0123456789");
  expect(redactor([certificate.repeat(150)]).longest).toBe(0);
});
