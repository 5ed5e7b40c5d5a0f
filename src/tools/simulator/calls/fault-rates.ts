import type { Random } from "../../../kit/ids.ts";

/** Shares by name, from a text such as `repeat=1%,abort=0.5%`. */
export type Shares<Name extends string> = Readonly<Record<Name, number>>;

interface ShareOptions<Name extends string> {
  readonly names: readonly Name[];
  /** The word for one of the names in an error message, and an example. */
  readonly what: string;
  readonly example: string;
  /** The names that `all=1%` covers. */
  readonly isInAll?: (name: Name) => boolean;
}

/** Reads the text; names that are not mentioned get 0. */
export function readShares<Name extends string>(
  text: string,
  { names, what, example, isInAll = () => true }: ShareOptions<Name>,
): { readonly shares: Shares<Name> } | { readonly problem: string } {
  const shares = noShares(names) as Record<Name, number>;
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [, name = "", percent = ""] = /^\s*([a-z-]+)\s*=\s*(\d{1,3}(?:\.\d+)?)\s*%\s*$/.exec(part) ?? [];
    const share = Number(percent) / 100;
    if (percent === "" || share > 1)
      return { problem: `"${part.trim()}" is no ${what} with its share, such as ${example}` };
    const known = names.find((one) => one === name);
    if (known !== undefined) shares[known] = share;
    else if (name === "all") for (const one of names) shares[one] = isInAll(one) ? share : 0;
    else return { problem: `there is no ${what} "${name}"; there are ${names.join(", ")} and all` };
  }
  return { shares };
}

/** Every name is a key; the compiler cannot infer that from entries. */
export const noShares = <Name extends string>(names: readonly Name[]): Shares<Name> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Shares<Name>;

/** Faults between the platform and the adapter, by their names on the command line. */
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
// Object.keys loses the type of the keys.
export const faultNames = Object.keys(faults) as FaultName[];
export type FaultRates = Shares<FaultName>;

export const noFaults: FaultRates = noShares(faultNames);

/** Reads `repeat=1%,abort=0.5%`; `all=1%` covers every network fault and the mid-pick cancellation. */
export function readFaultRates(text: string): { readonly rates: FaultRates } | { readonly problem: string } {
  const options = { names: faultNames, what: "fault", example: "abort=1%" };
  const read = readShares(text, { ...options, isInAll: (name) => name !== "erp-down" });
  return "problem" in read ? read : { rates: read.shares };
}

/** Faults of a single call; the floor simulates the others. */
const networkFaults = ["repeat", "abort", "late", "parallel"] as const satisfies readonly FaultName[];
export type NetworkFault = (typeof networkFaults)[number];

export function drawFault(random: Random, rates: FaultRates): NetworkFault | null {
  // Always the same number of draws, so that switching one fault off does not change the others.
  const drawn = networkFaults.filter((name) => random.chance(rates[name]));
  return drawn[0] ?? null;
}
