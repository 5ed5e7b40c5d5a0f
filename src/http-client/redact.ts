import { longestOf, type MaskSecrets } from "../operation/record-sent.ts";
import { writtenForms } from "../operation/secrets/written-forms.ts";
import { decodedPart } from "./network/decoded-part.ts";

const maxBytes = 2_048;
/** More than is kept, so that something remains after long secrets are removed. */
const maxLength = 16_384;
// Shorter values are not secrets, and removing them would garble every text.
const minSecretLength = 6;

/** Removes every known secret from a text and shortens the text to the journal's limit. */
export type Redact = (text: string) => string;

export interface Secrets {
  readonly values: readonly string[];
  /** Values of these headers are secrets, and so is the part after a scheme such as `Bearer`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly url: URL;
}

export function redactor(secrets: Secrets): Redact {
  const mask = masker(secrets);
  const longest = longestOf(mask);
  return (text) => {
    const length = maxLength + longest;
    if (text.length <= length) return shortened(mask(text));
    // An answer may have megabytes, so only its beginning is masked. The end of that is dropped: it may be the start of
    // a secret that was cut.
    return shortened(`${mask(text.slice(0, length)).slice(0, -(longest + 1))}…`);
  };
}

/** Masks secrets in a text of any length. */
export const masker = (secrets: Secrets): MaskSecrets => maskerOf(secretValues(secrets));

function maskerOf(secrets: readonly string[]): MaskSecrets {
  const mask = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
  return Object.assign(mask, { longest: secrets[0]?.length ?? 0 });
}

function secretValues({ values: given, headers, url }: Secrets): string[] {
  const values = [
    ...given,
    ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]),
    url.password,
    decodedPart(url.password),
    // Some receivers expect keys in the query string, decoded or as they stand there.
    ...url.searchParams.values(),
    ...url.search.split(/[?&]/).map((part) => part.slice(part.indexOf("=") + 1)),
  ].filter((value) => value.length >= minSecretLength);
  // The longest first: otherwise, of a secret that contains another, a part would remain.
  return [...new Set(values.flatMap(writtenForms))].sort((one, other) => other.length - one.length);
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes - 8));
  return `${cut.replace(/\uFFFD+$/, "")}…`;
}
