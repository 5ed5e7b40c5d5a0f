import type { AskId } from "../contract/operations.ts";

/** What a deployment can have answered by one system or another, and the questions that belong to it. */
export const capabilities = {
  workOrders: { asks: ["listWorkOrders"], summary: "The list of available work orders." },
  codeLookup: { asks: ["findWorkOrderByCode"], summary: "One work order by scanned code." },
  putWall: { asks: ["findPutWallOrders"], summary: "The work orders behind a put wall code." },
  files: { asks: ["parseWorkOrderFile", "parseItemFile"], summary: "Uploaded order and item files." },
  report: { asks: ["getReport"], summary: "The completion report." },
  export: {
    asks: ["getExportColumns", "getExportValues", "getIndexableValueLabel"],
    summary: "Extra export columns, their values, and the label.",
  },
  items: { asks: ["getItem"], summary: "Item master data." },
  images: { asks: ["getItemImage"], summary: "Product images." },
} as const satisfies Readonly<Record<string, { readonly asks: readonly AskId[]; readonly summary: string }>>;

export type Capability = keyof typeof capabilities;
export const capabilityNames = Object.keys(capabilities) as Capability[];

/** Every question has its capability; a test holds the table to that. */
export const capabilityOf = (id: AskId): Capability | undefined =>
  capabilityNames.find((name) => (capabilities[name].asks as readonly AskId[]).includes(id));
