import { expect, test } from "vitest";
import { isSecretName } from "./secret-names.ts";

test.each([
  ...["password", "userPwd", "Passwort", "client_secret", "access_token", "X-Api-Key", "X-Erp-Key", "subscriptionKey"],
  ...["Authorization", "Set-Cookie", "sessionId", "JSESSIONID", "private_key", "keys"],
])("%s is the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  ...["key", "tokenUrl", "passwordFile", "secretName", "tokenPath", "apiKeyHeader", "X-Idempotency-Key", "order_key"],
  ...["customerId", "tokenId", "itemNumber", "keyword"],
])("%s is none", (name) => {
  expect(isSecretName(name)).toBe(false);
});
