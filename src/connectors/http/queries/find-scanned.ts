import { say } from "../../../messages/message.ts";
import { type Refusal, refuse } from "../../../operation/outcome.ts";

/** The input of a scan. */
export interface Scan {
  readonly Code: string;
  readonly StorageName?: string | null;
}

const fold = (value: unknown): string =>
  String(value ?? "")
    .trim()
    .normalize("NFC")
    .toLowerCase();
const memberOf = (order: unknown, name: string): unknown =>
  typeof order === "object" && order !== null ? Reflect.get(order, name) : undefined;

const names = ["number", "alternativeStartNumber", "externalIdentifier"];

/** Whether the order has the scanned code, in any letter case. */
export const hasCode = (order: unknown, { Code }: Scan): boolean =>
  names.some((name) => fold(memberOf(order, name)) === fold(Code));

/**
 * Finds the scanned order among those that the external system returned. If a search returns several, none may be
 * started by chance: only an order that has the scanned code itself counts. So it is with the only order of a list that
 * was not searched for the code.
 */
export function findScanned(
  orders: readonly unknown[],
  { Code, StorageName }: Scan,
  { isSearched }: { readonly isSearched: boolean },
): { readonly order: unknown } | Refusal<"WorkOrderDoesNotExist"> {
  const code = Code.trim();
  const exact = names.flatMap((name) => orders.filter((order) => memberOf(order, name) === code));
  const alike = names.flatMap((name) => orders.filter((order) => fold(memberOf(order, name)) === fold(code)));
  const [found] = [...exact, ...alike, ...(isSearched && orders.length === 1 ? orders : [])];
  if (found === undefined) return refuse("WorkOrderDoesNotExist", say("orders.unknown-code", { code }));
  const storage = memberOf(found, "designatedStorageName");
  if (typeof storage === "string" && storage !== "" && StorageName && fold(storage) !== fold(StorageName)) {
    const number = String(memberOf(found, "number") ?? code);
    return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage }));
  }
  return { order: found };
}
