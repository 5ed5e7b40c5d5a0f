import type { WebhookSettings } from "./option-defaults.ts";

const maxBytes = 2_048;
// Shorter ones would blacken half of every text, and are no secrets.
const minSecretLength = 6;

/** Takes every secret out of a text, by its value, and shortens it to what the journal keeps. */
export type Redact = (text: string) => string;

export function redactor(settings: Pick<WebhookSettings, "secrets" | "headers">, url: URL): Redact {
  const values = [
    ...settings.secrets.flatMap((secret) => [secret, secret.replace(/^whsec_/, "")]),
    ...Object.values(settings.headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]),
    url.password,
    decodeURIComponent(url.password),
    // Keys are handed over in the query string by some receivers.
    ...[...url.searchParams.values()].flatMap((value) => [value, encodeURIComponent(value)]),
  ].filter((value) => value.length >= minSecretLength);
  // The longest first: a secret that contains another must not leave its rest behind.
  const secrets = [...new Set(values)].sort((one, other) => other.length - one.length);
  return (text) => shortened(secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text));
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes - 8));
  return `${cut.replace(/\uFFFD+$/, "")}…`;
}
