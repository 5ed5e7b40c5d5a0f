import { hostname } from "node:os";

/**
 * Returns the address at which other processes reach this one. An address such as 0.0.0.0 means every network of the
 * machine that uses it, so it would lead other machines to themselves. So the name of this machine is used instead,
 * unless one is set.
 */
export function advertisedUrl(url: string, advertise: string | undefined): string {
  const address = new URL(url);
  if (advertise !== undefined) {
    const given = new URL(advertise.includes("://") ? advertise : `${address.protocol}//${advertise}`);
    // An address without a port keeps the port that the process listens on.
    if (given.port !== "" || advertise.includes("://")) address.port = given.port;
    address.protocol = given.protocol;
    address.hostname = given.hostname;
  } else if (["0.0.0.0", "[::]"].includes(address.hostname)) address.hostname = hostname();
  return address.href.replace(/\/+$/, "");
}
