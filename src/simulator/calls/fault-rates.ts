import { noShares, readShares, type Shares } from "./read-shares.ts";

/** What can go wrong between the platform and the adapter, by the name it has on the command line. */
export const faults = {
  repeat: "the platform gives up waiting and sends the same again",
  abort: "the connection is cut while the bytes are under way, or before the answer",
  late: "the bytes come in two parts, or once more after they were sent again",
  parallel: "the same call twice at the same time",
  reorder: "two steps of one order arrive in the other order",
  "mid-pick-cancel": "the external system cancels or reduces a line while it is being picked",
  "erp-down": "the external system is down for this share of the orders",
} as const;
export type FaultName = keyof typeof faults;
// Object.keys forgets which keys its object has.
export const faultNames = Object.keys(faults) as FaultName[];
export type FaultRates = Shares<FaultName>;

export const noFaults: FaultRates = noShares(faultNames);

/** Reads `repeat=1%,abort=0.5%`; `all=1%` means every fault of the network and the mid-pick cancellation. */
export function readFaultRates(text: string): { readonly rates: FaultRates } | { readonly problem: string } {
  const wishes = { names: faultNames, what: "fault", example: "abort=1%" };
  const read = readShares(text, { ...wishes, isInAll: (name) => name !== "erp-down" });
  return "problem" in read ? read : { rates: read.shares };
}
