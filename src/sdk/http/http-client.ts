import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { rootCertificates } from "node:tls";
import { Fault } from "../fault.ts";
import type { RecordSent } from "../record-sent.ts";
import { addressGuard, type Resolve } from "./address-guard.ts";
import { exchange } from "./exchange.ts";
import type { Answer } from "./read-body.ts";
import type { Timeouts } from "./timeouts.ts";

/** Idle connections are kept this long: the next event or scan comes soon, or not before a break. */
const idleMs = 30_000;

export interface TlsFiles {
  /** Certificates (PEM) to trust besides the usual ones. */
  readonly ca?: string | undefined;
  /** Our own certificate and key (PEM), where the other side wants to know who calls. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ClientNeeds {
  /** Its host is the only one this client ever talks to. */
  readonly url: URL;
  readonly allowHosts?: readonly string[] | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly tls?: TlsFiles | undefined;
  readonly timeouts: Timeouts;
  readonly maxAnswerBytes: number;
  readonly decodes: boolean;
  readonly resolve: Resolve;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Of an event: keeps what is really sent, and what comes back. */
  readonly record?: RecordSent | undefined;
}

export interface HttpClient {
  /** One request and its answer, whatever the status. Redirects are answers like any other: nothing follows them. */
  readonly send: (request: HttpRequest) => Promise<Answer>;
  readonly close: () => void;
}

const nothing = Buffer.alloc(0);

/** Requests to one host, over connections that are kept and whose addresses were checked. */
export function httpClient(needs: ClientNeeds): HttpClient {
  const { url: home, tls = {}, timeouts, maxAnswerBytes, decodes } = needs;
  const lookup = addressGuard({ url: home, ...pick(needs), resolve: needs.resolve });
  const pool = { keepAlive: true, timeout: idleMs, lookup };
  const agent = home.protocol === "https:" ? new SecureAgent({ ...pool, ...secureOptions(tls) }) : new Agent(pool);
  return {
    send: async ({ method, url, headers, body = nothing, signal }) => {
      // The guard was made for the home's host, and so were the secrets that go along.
      if (url.origin !== home.origin) throw new Fault("rejected", `${url.origin} is not ${home.origin}`);
      return exchange({ method, url, agent, headers, body, timeouts, signal, maxAnswerBytes, decodes });
    },
    close: () => agent.destroy(),
  };
}

const pick = ({ allowHosts, allowPrivate }: ClientNeeds) => ({ allowHosts, allowPrivate });

function secureOptions({ ca, cert, key }: TlsFiles) {
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
