import type { ExchangeView } from "../../src/engine/journal-view/entries/entry-detail.ts";

/** Writes the request as a curl command. The texts come from outside, so each is quoted for the shell. */
export function curlOf({ to, headers, body }: Pick<ExchangeView, "to" | "headers" | "body">): string {
  const [method = "GET", url = ""] = to.split(" ", 2);
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body.text)}`]),
  ];
  return parts.join(" \\\n  ");
}
