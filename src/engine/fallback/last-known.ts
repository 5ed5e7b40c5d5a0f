import type { QueryId } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { OrderText } from "../intake/order-texts.ts";

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
  readonly rememberAnswer: (operation: QueryId, key: string, answer: KnownAnswer) => void;
  readonly answer: (operation: QueryId, key: string) => KnownAnswer | undefined;
}

/** What is asked, as a text: the same for the same question, whatever the order of its members. */
export function lookUpKey(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  const members = Object.entries(input)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members);
}

/** How old last known data may be, in minutes; 0 means that there is no island for this capability. */
export interface Freshness {
  readonly workOrdersMinutes: number;
  readonly codeLookupMinutes: number;
  readonly putWallMinutes: number;
  readonly itemsMinutes: number;
  readonly imagesMinutes: number;
}

/** A shift for orders, which change by the hour; a week for items, a month for their images, which hardly do. */
export const defaultFreshness: Freshness = {
  workOrdersMinutes: 480,
  codeLookupMinutes: 480,
  putWallMinutes: 480,
  itemsMinutes: 10_080,
  imagesMinutes: 43_200,
};

interface FallbackQuery {
  /** As the configuration names it. */
  readonly capability: string;
  readonly minutes: keyof Freshness;
  /** The refusal that says: there is no such thing. What was known under that name is forgotten then. */
  readonly gone: string | null;
}

/** The questions that can be answered without the external system. Reports and exports are not among them: they count. */
export const fallbackQueries: { readonly [Id in QueryId]?: FallbackQuery } = {
  listWorkOrders: { capability: "workOrders", minutes: "workOrdersMinutes", gone: null },
  findWorkOrderByCode: { capability: "codeLookup", minutes: "codeLookupMinutes", gone: "WorkOrderDoesNotExist" },
  findPutWallOrders: { capability: "putWall", minutes: "putWallMinutes", gone: null },
  getItem: { capability: "items", minutes: "itemsMinutes", gone: "ItemDoesNotExist" },
  getItemImage: { capability: "images", minutes: "imagesMinutes", gone: "ImageDoesNotExist" },
};
