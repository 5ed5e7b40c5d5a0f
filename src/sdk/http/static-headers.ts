import { Fault } from "../fault.ts";
import { headerText } from "./header-text.ts";

const connection =
  /^(host|connection|keep-alive|content-length|content-encoding|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/;
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** The configured headers. One that would change what the others promise, or the request's frame, is refused. */
export function staticHeaders(given: Readonly<Record<string, string>>, own?: RegExp): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [givenName, value] of Object.entries(given)) {
    const name = givenName.toLowerCase();
    if (!token.test(name)) throw new Fault("invalid", `${JSON.stringify(givenName)} is no name of a header`);
    if (own?.test(name) || connection.test(name)) {
      throw new Fault("invalid", `the header ${givenName} cannot be configured: it is set with each event`);
    }
    headers[name] = headerText(value);
  }
  return headers;
}
