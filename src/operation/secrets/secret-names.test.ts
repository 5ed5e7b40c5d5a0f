import { expect, test } from "vitest";
import { isSecretHeader, isSecretName, isSecretParameter, mayNameSecrets } from "./secret-names.ts";

test.each([
  ...["password", "userPwd", "Passwort", "client_secret", "access_token", "X-Api-Key", "X-Erp-Key", "subscriptionKey"],
  ...["Authorization", "Set-Cookie", "sessionId", "JSESSIONID", "private_key", "keys"],
])("%s is the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
  expect([isSecretHeader(name), isSecretParameter(name), mayNameSecrets(`{"${name}":1}`)]).toEqual([true, true, true]);
});

test.each([
  ...["key", "tokenUrl", "passwordFile", "secretName", "tokenPath", "apiKeyHeader", "X-Idempotency-Key", "order_key"],
  ...["customerId", "tokenId", "itemNumber", "keyword"],
])("%s is none", (name) => {
  expect(isSecretName(name)).toBe(false);
});

test("a signature and a short name are secrets only where they can be nothing else", () => {
  expect(["webhook-signature", "X-CSRF", "x-erp-session"].map(isSecretHeader)).toEqual([true, true, true]);
  expect(["sig", "code", "key", "auth", "X-Amz-Signature"].map(isSecretParameter)).toEqual(Array(5).fill(true));
  expect(["Code", "StorageName", "order"].map(isSecretParameter)).toEqual([false, false, false]);
  expect(["signature", "code", "key", "auth", "session"].map(isSecretName)).toEqual(Array(5).fill(false));
});
