import { networkOf } from "../sdk/http/private-address.ts";
import type { ConfigPath, Objection } from "./config-error.ts";

/** Texts of a list that are neither an address nor a network. */
export function addressObjections(list: unknown, path: ConfigPath): Objection[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown, index): Objection[] => {
    if (typeof one !== "string" || networkOf(one) !== null) return [];
    const hint = "Write an address or a network, such as 10.1.2.3, 10.1.0.0/16 or 2001:db8::/32.";
    return [{ path: [...path, index], text: `${JSON.stringify(one)} is no address`, hint }];
  });
}
