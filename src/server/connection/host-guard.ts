import { isIP } from "node:net";

export interface HostSettings {
  /** Whether only this machine can connect. */
  readonly isLoopback: boolean;
  /** The adapter's host names. Absent: any name is accepted, unless only this machine can connect. */
  readonly hosts?: readonly string[] | undefined;
}

export interface HostRefusal {
  readonly status: 400 | 421;
  readonly detail: string;
}

interface Request {
  readonly rawHeaders: readonly string[];
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
}

/**
 * Checks the Host header; returns null if it is accepted. A web page can point its own name to 127.0.0.1, and a browser
 * on this machine would then let it call an adapter that trusts every local caller. An IP address cannot be redirected
 * like that, so it is always accepted.
 */
export function hostGuard({ isLoopback, hosts }: HostSettings): (request: Request) => HostRefusal | null {
  return ({ rawHeaders, httpVersionMajor, httpVersionMinor }) => {
    let host: string | undefined;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at];
      if (name?.length !== 4 || name.toLowerCase() !== "host") continue;
      host = rawHeaders[at + 1];
      count++;
    }
    if (count > 1) return { status: 400, detail: "Send one Host header." };
    if (host === undefined) {
      // Health checks of older load balancers use HTTP/1.0, which has no Host header; browsers do not.
      const isOld = httpVersionMajor === 1 && httpVersionMinor === 0;
      return isOld ? null : { status: 400, detail: "Send a Host header." };
    }
    const name = host.replace(/:\d*$/, "").toLowerCase();
    if (isAddress(name) || name === "localhost" || name.endsWith(".localhost")) return null;
    if (hosts?.some((known) => known.toLowerCase() === name)) return null;
    if (hosts === undefined && !isLoopback) return null;
    return { status: 421, detail: `This adapter is not called ${name.slice(0, 100)}; see the setting \`hosts\`.` };
  };
}

const isAddress = (name: string) => isIP(name) !== 0 || (name.startsWith("[") && isIP(name.slice(1, -1)) === 6);

/** Whether a listening address is reachable from this machine only. */
export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || address.startsWith("127.");
