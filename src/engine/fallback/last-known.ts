import type { QueryId } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { ReadyJsonSlices } from "../../operation/outcome.ts";
import type { OrderText } from "../intake/order-texts.ts";

export interface KnownAnswer {
  readonly at: number;
  /** JSON text; null if the external system said that it does not exist. */
  readonly text: string | null;
}

export interface ListedOrder {
  readonly workOrder: WorkOrder;
  /** The text of the order, in UTF-8. */
  readonly bytes: Buffer;
}

/** The fields of an order that may hold a code. */
export type CodeField = "number" | "alternativeStartNumber" | "externalIdentifier" | "deliveryNumber";

/** The last answers of one external system. If reading them fails, they count as unknown. */
export interface LastKnown {
  /**
   * Stores a list in the background, a few orders per turn of the loop. Of several lists in a row, the latest is
   * stored.
   */
  readonly rememberList: (orders: readonly OrderText[], at: number) => void;
  /** When the stored list was received; null if there is none. */
  readonly listAt: () => number | null;
  /** The orders of the list as pieces of ready text; can be iterated several times. */
  readonly listed: (isOffered: (number: string) => boolean) => Iterable<Uint8Array | ReadyJsonSlices>;
  /** Orders of the list with this code in that field, ignoring letter case. */
  readonly listedBy: (field: CodeField, code: string) => AsyncIterable<ListedOrder>;
  /** The order of the list with exactly this number; null if it is not listed. */
  readonly listedOrder: (number: string) => Promise<WorkOrder | null>;
  readonly rememberAnswer: (operation: QueryId, key: string, answer: KnownAnswer) => void;
  readonly answer: (operation: QueryId, key: string) => KnownAnswer | undefined;
  /** The latest answer to a look-up whose key begins like this, as soon as it is in the file. */
  readonly latestAnswer: (operation: QueryId, beginning: string) => KnownAnswer | undefined;
}

/** Longer answers are not kept: one image must not displace a thousand orders. */
export const maxAnswerCharacters = 2_000_000;

/** The query as a text; equal queries give equal texts, whatever the order of their members. */
export function lookUpKey(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  const members = Object.entries(input)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members);
}

/** How the keys of all scans of this code begin, in whatever storage they happened. */
export const scanKeyBeginning = (code: string): string => lookUpKey({ Code: code }).slice(0, -1);

/** The maximum age of fallback data in minutes; 0 means no fallback for this capability. */
export interface Freshness {
  readonly workOrdersMinutes: number;
  readonly codeLookupMinutes: number;
  readonly putWallMinutes: number;
  readonly itemsMinutes: number;
  readonly imagesMinutes: number;
}

/** Eight hours for orders, which change by the hour; a week for items and a month for images, which hardly change. */
export const defaultFreshness: Freshness = {
  workOrdersMinutes: 480,
  codeLookupMinutes: 480,
  putWallMinutes: 480,
  itemsMinutes: 10_080,
  imagesMinutes: 43_200,
};

interface FallbackQuery {
  /** The name in the configuration. */
  readonly capability: string;
  readonly minutes: keyof Freshness;
  /** The refusal that means "does not exist". It removes the stored answer. */
  readonly gone: string | null;
}

/** The queries that fallback data can answer. Reports and exports are excluded: they must be up to date. */
export const fallbackQueries: { readonly [Id in QueryId]?: FallbackQuery } = {
  listWorkOrders: { capability: "workOrders", minutes: "workOrdersMinutes", gone: null },
  findWorkOrderByCode: { capability: "codeLookup", minutes: "codeLookupMinutes", gone: "WorkOrderDoesNotExist" },
  findPutWallOrders: { capability: "putWall", minutes: "putWallMinutes", gone: null },
  getItem: { capability: "items", minutes: "itemsMinutes", gone: "ItemDoesNotExist" },
  getItemImage: { capability: "images", minutes: "imagesMinutes", gone: "ImageDoesNotExist" },
};
