import type { Answer } from "../../../http-client/answers/read-body.ts";
import { type ClientNeeds, type HttpClient, httpClient } from "../../../http-client/http-client.ts";
import type { Redact } from "../../../http-client/redact.ts";
import { Fault } from "../../../operation/fault.ts";
import { type Caller, plainCaller } from "../request-plan.ts";

export interface AddressNeeds {
  readonly baseUrl: URL;
  /** Hosts besides that of `baseUrl`. */
  readonly hosts: readonly string[];
  /** Calls the connector's own host, with its login. */
  readonly call: Caller;
  readonly connection: Omit<ClientNeeds, "url" | "allowHosts">;
  readonly headers: Readonly<Record<string, string>>;
  readonly redact: Redact;
}

export interface ImageAddresses {
  readonly fetch: (url: URL, signal: AbortSignal) => Promise<Answer>;
  readonly close: () => void;
}

/**
 * Fetches images from addresses found in answers. Only configured hosts are called: otherwise whoever writes an item
 * could make the adapter call any machine it can reach. The login is sent only to the connector's own host.
 */
export function imageAddresses({ baseUrl, hosts, call, connection, headers, redact }: AddressNeeds): ImageAddresses {
  const clients = new Map<string, HttpClient>();
  const clientOf = (url: URL): HttpClient => {
    const known = clients.get(url.origin) ?? httpClient({ ...connection, url });
    clients.set(url.origin, known);
    return known;
  };
  const allowed = hosts.map((host) => host.toLowerCase());
  const wanted = { accept: "image/*, application/json", "accept-encoding": "gzip, deflate, br" };
  return {
    fetch: (url, signal) => {
      if (url.origin === baseUrl.origin)
        return call({ method: "GET", url, headers: { ...headers, ...wanted }, signal });
      if (!allowed.includes(url.hostname.toLowerCase()) && !allowed.includes(url.host.toLowerCase())) {
        const reason = `the image is at ${redact(url.host)}, which is not one of \`imageHosts\``;
        return Promise.reject(new Fault("rejected", reason));
      }
      return plainCaller(clientOf(url), redact)({ method: "GET", url, headers: wanted, signal });
    },
    close: () => {
      for (const client of clients.values()) client.close();
    },
  };
}
