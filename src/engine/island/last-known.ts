import type { AskId } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { OrderText } from "../order-texts.ts";

export interface KnownAnswer {
  readonly at: number;
  /** JSON text; null where the external system said that there is no such thing. */
  readonly text: string | null;
}

export interface ListedOrder {
  readonly workOrder: WorkOrder;
  readonly text: string;
}

/** Where a code may stand on an order. */
export type CodeField = "number" | "alternativeStartNumber" | "externalIdentifier" | "deliveryNumber";

/** What one external system said last. Whatever goes wrong in here, it is only as if nothing were known. */
export interface LastKnown {
  /** Written in the background, a few orders per turn of the loop; of several lists in a row the latest counts. */
  readonly rememberList: (orders: readonly OrderText[], at: number) => void;
  /** When the remembered list was given; null where there is none. */
  readonly listAt: () => number | null;
  /** The orders of the list as pieces of ready text; may be gone through several times. */
  readonly listed: (isOffered: (number: string) => boolean) => Iterable<string>;
  /** Orders of the list with this code in that field, in any letter case. */
  readonly listedBy: (field: CodeField, code: string) => readonly ListedOrder[];
  readonly rememberAnswer: (operation: AskId, key: string, answer: KnownAnswer) => void;
  readonly answer: (operation: AskId, key: string) => KnownAnswer | undefined;
}
