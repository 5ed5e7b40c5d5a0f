import { say } from "../../messages/message.ts";
import { type Refusal, refuse } from "../../sdk/outcome.ts";

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

/**
 * The order that a scan means, among those that the external system found for it. A search that finds several must not
 * start any of them: then only one that carries the code itself counts.
 */
export function findScanned(
  orders: readonly unknown[],
  { Code, StorageName }: Scan,
): { readonly order: unknown } | Refusal<"WorkOrderDoesNotExist"> {
  const code = Code.trim();
  const names = ["number", "alternativeStartNumber", "externalIdentifier"];
  const exact = names.flatMap((name) => orders.filter((order) => memberOf(order, name) === code));
  const alike = names.flatMap((name) => orders.filter((order) => fold(memberOf(order, name)) === fold(code)));
  const [found] = [...exact, ...alike, ...(orders.length === 1 ? orders : [])];
  if (found === undefined) return refuse("WorkOrderDoesNotExist", say("orders.unknown-code", { code }));
  const storage = memberOf(found, "designatedStorageName");
  if (typeof storage === "string" && storage !== "" && StorageName && fold(storage) !== fold(StorageName)) {
    const number = String(memberOf(found, "number") ?? code);
    return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage }));
  }
  return { order: found };
}
