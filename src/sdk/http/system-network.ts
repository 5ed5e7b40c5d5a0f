import { lookup } from "node:dns/promises";
import type { Resolve } from "./address-guard.ts";
import type { Environment } from "./proxy-choice.ts";

/** What a client needs of the machine it runs on. */
export interface Network {
  /** All addresses of a name. */
  readonly resolve: Resolve;
  /** Where the proxies are named; absent: there are none. */
  readonly environment?: Environment | undefined;
}

/** The names and proxies of this machine. */
export const systemNetwork: Network = {
  resolve: (hostname) => lookup(hostname, { all: true, verbatim: true }),
  environment: process.env,
};
