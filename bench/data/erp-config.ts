import { operations } from "../../src/contract/operations.ts";

const map = {
  number: "DocNum",
  dueDate: "DueDate",
  description: "Customer.Name",
  requests: {
    each: "Lines",
    map: { itemNumber: "Item", itemName: "Text", requestedAmount: "Qty", lotNumber: "Batch", order: "Pos" },
  },
};

/** The configuration for the measured ERP, queried live. */
export const scanThrough = (baseUrl: string): object => ({
  connectors: {
    erp: {
      type: "http",
      baseUrl,
      operations: {
        findWorkOrderByCode: {
          path: operations.findWorkOrderByCode.path,
          query: { Code: "{code}", StorageName: "{storageName}" },
          records: "data",
          map,
        },
      },
    },
  },
  serve: { codeLookup: "erp" },
});

/** The configuration for the measured ERP, polled for all orders. */
export const pollAll = (baseUrl: string, pageSize: number): object => ({
  connectors: {
    erp: {
      type: "http",
      baseUrl,
      poll: [
        {
          topic: "workOrders",
          everySeconds: 3600,
          path: "/orders",
          records: "data",
          page: { by: "page", param: "page", size: pageSize },
          since: { path: "ChangedAt", param: "since" },
          map,
        },
      ],
    },
  },
});
