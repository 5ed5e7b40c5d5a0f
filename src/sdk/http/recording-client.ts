import type { HttpClient } from "./http-client.ts";

/**
 * A client that tells what it really sends, proof included, where the request wants it to be kept; `mask` takes out of it what
 * only the connector knows to be secret.
 */
export function recordingClient(client: HttpClient, mask: (text: string) => string): HttpClient {
  return {
    send: async (request) => {
      const { record, ...plain } = request;
      if (record === undefined) return client.send(plain);
      const { method, url, headers, body } = plain;
      const to = `${method} ${url.href}`;
      const answered = record({ to, headers, mask, ...(body === undefined ? {} : { body }) });
      const answer = await client.send(plain);
      answered({ status: answer.status, headers: answer.headers, body: answer.body });
      return answer;
    },
    close: client.close,
  };
}
