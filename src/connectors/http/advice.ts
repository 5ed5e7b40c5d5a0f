import { Fault } from "../../sdk/fault.ts";

// "Its address" is `baseUrl` of a connector and `url` of a forward request: neither name stands here.
const byCode: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, "the name is not known: check the host in its address, and DNS on this machine"],
  [/ECONNREFUSED/, "nobody listens there: check the port in its address, and whether the system is running"],
  [/EHOSTUNREACH|ENETUNREACH/, "there is no way to that network: check VPN and routing"],
  [/ECONNRESET|EPIPE/, "the connection was cut: check whether it must be https, and what a firewall allows"],
  [/CERT_HAS_EXPIRED/, "its certificate has expired: have it renewed"],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, "its certificate is for another name: use that name in its address"],
  [
    /SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|CERT_/,
    "nobody vouches for its certificate: give the certificate of its issuer as tls.ca",
  ],
  [/EPROTO|ERR_SSL|WRONG_VERSION/, "it speaks no TLS there: check whether its address must begin with http"],
  [/within \d+ ms/, "it does not answer in time: check firewall and load, or raise timeouts"],
];

/** The fault with what to do next. */
export function withAdvice(fault: Fault): Fault {
  const told = codesOf(fault).join(" ");
  const advice = byCode.find(([pattern]) => pattern.test(told))?.[1];
  return advice === undefined
    ? fault
    : new Fault(fault.kind, `${fault.message}; ${advice}`, { cause: fault, answer: fault.answer });
}

function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = "code" in error ? [String(error.code)] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...own, error.message, ...inner, ...codesOf(error.cause)];
}

/** What a status of the connection test means, where it is bad news. */
export function statusAdvice(status: number): string | null {
  if (status === 401 || status === 407) return `the login was refused (status ${status}): check auth`;
  if (status === 403) return "the login is known but may not do this (status 403): give its user the rights to read";
  if (status >= 300 && status < 400) return `it sends us elsewhere (status ${status}): configure the final address`;
  return status >= 500 ? `it is in trouble itself (status ${status}): look into its log` : null;
}
