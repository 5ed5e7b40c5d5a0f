const maxBytes = 2_048;
// Shorter ones would blacken half of every text, and are no secrets.
const minSecretLength = 6;

/** Takes every secret out of a text, by its value, and shortens it to what the journal keeps. */
export type Redact = (text: string) => string;

export interface Secrets {
  readonly values: readonly string[];
  /** Header values are secrets, and so is what follows a scheme such as `Bearer`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly url: URL;
}

export function redactor(secrets: Secrets): Redact {
  const mask = masker(secrets);
  return (text) => shortened(mask(text));
}

/** The same for a text of any length. */
export function masker({ values: given, headers, url }: Secrets): (text: string) => string {
  const values = [
    ...given,
    ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]),
    url.password,
    decodeURIComponent(url.password),
    // Keys are handed over in the query string by some receivers.
    ...[...url.searchParams.values()].flatMap((value) => [value, encodeURIComponent(value)]),
  ].filter((value) => value.length >= minSecretLength);
  // The longest first: a secret that contains another must not leave its rest behind.
  const secrets = [...new Set(values)].sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes - 8));
  return `${cut.replace(/\uFFFD+$/, "")}…`;
}
