import type { AskId } from "../../contract/operations.ts";

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

export interface IslandAsk {
  /** As the configuration names it. */
  readonly capability: string;
  readonly minutes: keyof Freshness;
  /** The refusal that says: there is no such thing. What was known under that name is forgotten then. */
  readonly gone: string | null;
}

/** The questions that can be answered without the external system. Reports and exports are not among them: they count. */
export const islandAsks: { readonly [Id in AskId]?: IslandAsk } = {
  listWorkOrders: { capability: "workOrders", minutes: "workOrdersMinutes", gone: null },
  findWorkOrderByCode: { capability: "codeLookup", minutes: "codeLookupMinutes", gone: "WorkOrderDoesNotExist" },
  findPutWallOrders: { capability: "putWall", minutes: "putWallMinutes", gone: null },
  getItem: { capability: "items", minutes: "itemsMinutes", gone: "ItemDoesNotExist" },
  getItemImage: { capability: "images", minutes: "imagesMinutes", gone: "ImageDoesNotExist" },
};
