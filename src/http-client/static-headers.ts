import { Fault } from "../operation/fault.ts";

const connection =
  /^(host|connection|keep-alive|content-length|content-encoding|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/;
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** The configured headers. A header that the adapter itself sets, or that controls the connection, is refused. */
export function staticHeaders(given: Readonly<Record<string, string>>, own?: RegExp): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [givenName, value] of Object.entries(given)) {
    const name = givenName.toLowerCase();
    if (!token.test(name)) throw new Fault("invalid", `${JSON.stringify(givenName)} is not a valid header name`);
    if (own?.test(name) || connection.test(name)) {
      throw new Fault("invalid", `the header ${givenName} cannot be configured: it is set with each event`);
    }
    headers[name] = headerText(value);
  }
  return headers;
}

const encodeBytes = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");

/**
 * A value as CloudEvents write it into a header: everything but visible ASCII is percent-encoded,
 * quotes and percent signs too, so that decoding returns the exact value.
 */
export const attributeText = (text: string): string => text.replace(/[^\x21-\x7e]|["%]/gu, encodeBytes);

/** A configured value, unchanged except for what a header cannot carry: line breaks, control characters, non-Latin letters. */
export const headerText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what must not get through.
  text.replace(/[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/gu, encodeBytes);
