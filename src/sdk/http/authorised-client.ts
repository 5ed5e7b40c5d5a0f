import type { Authenticator, Proof } from "./auth/authenticator.ts";
import type { HttpClient, HttpRequest } from "./http-client.ts";

/** A client whose requests show who asks. A proof that is not taken is replaced once, and the request sent again. */
export function authorisedClient(client: HttpClient, auth: Authenticator): HttpClient {
  return {
    send: async (request) => {
      const proof = await auth.proof();
      const answer = await client.send(withProof(request, proof));
      if (!auth.refusedStatuses.includes(answer.status) || !auth.renew(proof)) return answer;
      return client.send(withProof(request, await auth.proof()));
    },
    close: () => {
      auth.close();
      client.close();
    },
  };
}

function withProof(request: HttpRequest, { headers, query }: Proof): HttpRequest {
  const added = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return { ...request, url: withQuery(request.url, added), headers: { ...request.headers, ...headers } };
}

/** Added as text: setting them as parameters would write the whole query anew, in another spelling. */
function withQuery(url: URL, added: readonly string[]): URL {
  if (added.length === 0) return url;
  const extended = new URL(url);
  extended.search = [url.search.slice(1), ...added].filter((part) => part !== "").join("&");
  return extended;
}
