import type { IncomingHttpHeaders } from "node:http";

/** Headers of which only one can count; the first does, as in Node's own client. */
const single = new Set(["content-type", "content-length", "retry-after", "location", "etag", "last-modified", "date"]);

/** The headers of an answer, each one text: those given several times are put together or, where that has no sense, the first. */
export function plainHeaders(
  given: Readonly<Record<string, string | readonly string[] | undefined>>,
): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (name === "set-cookie") headers[name] = [value].flat();
    else if (typeof value === "string") headers[name] = value;
    else headers[name] = single.has(name) ? (value[0] ?? "") : value.join(", ");
  }
  return headers;
}
