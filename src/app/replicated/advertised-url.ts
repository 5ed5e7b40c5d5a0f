import { hostname } from "node:os";

/**
 * Where the other processes reach this one. An address such as 0.0.0.0 means every network of this machine, and on
 * another machine it means that other machine: so the name of this machine is given instead, unless one is set.
 */
export function advertisedUrl(url: string, advertise: string | undefined): string {
  const address = new URL(url);
  if (advertise !== undefined) {
    const given = new URL(advertise.includes("://") ? advertise : `${address.protocol}//${advertise}`);
    // Without a port in it, the one it listens on.
    if (given.port !== "" || advertise.includes("://")) address.port = given.port;
    address.protocol = given.protocol;
    address.hostname = given.hostname;
  } else if (["0.0.0.0", "[::]"].includes(address.hostname)) address.hostname = hostname();
  return address.href.replace(/\/+$/, "");
}
