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
export const faultNames = Object.keys(faults) as FaultName[];
export type FaultRates = Readonly<Record<FaultName, number>>;

export const noFaults: FaultRates = {
  repeat: 0,
  abort: 0,
  late: 0,
  parallel: 0,
  reorder: 0,
  "mid-pick-cancel": 0,
  "erp-down": 0,
};

/** Reads `repeat=1%,abort=0.5%`; `all=1%` means every fault of the network and the mid-pick cancellation. */
export function readFaultRates(text: string): { readonly rates: FaultRates } | { readonly problem: string } {
  const rates: Record<FaultName, number> = { ...noFaults };
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [, name = "", percent = ""] = /^\s*([a-z-]+)\s*=\s*(\d{1,3}(?:\.\d+)?)\s*%\s*$/.exec(part) ?? [];
    const share = Number(percent) / 100;
    if (percent === "" || share > 1)
      return { problem: `"${part.trim()}" is no fault with its share, such as abort=1%` };
    const known = faultNames.find((fault) => fault === name);
    if (known !== undefined) rates[known] = share;
    else if (name === "all") for (const fault of faultNames) rates[fault] = fault === "erp-down" ? 0 : share;
    else return { problem: `there is no fault "${name}"; there are ${faultNames.join(", ")} and all` };
  }
  return { rates };
}
