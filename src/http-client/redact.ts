const maxBytes = 2_048;
// Shorter values are not secrets, and removing them would garble every text.
const minSecretLength = 6;

/** Removes every secret from a text, by its value, and shortens the text to the journal's limit. */
export type Redact = (text: string) => string;

export interface Secrets {
  readonly values: readonly string[];
  /** Header values are secrets, and so is the part after a scheme such as `Bearer`. */
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
    // Some receivers expect keys in the query string.
    ...[...url.searchParams.values()].flatMap((value) => [value, encodeURIComponent(value)]),
  ].filter((value) => value.length >= minSecretLength);
  // The longest first: otherwise the rest of a secret that contains another would remain.
  const secrets = [...new Set(values)].sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes - 8));
  return `${cut.replace(/\uFFFD+$/, "")}…`;
}
