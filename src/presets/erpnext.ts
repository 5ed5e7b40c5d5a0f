import { type PickingSummary, type Preset, pickedAmount } from "./preset.ts";

const open = [
  ["docstatus", "=", 1],
  ["status", "in", ["To Deliver", "To Deliver and Bill"]],
];
const list = {
  path: "/api/resource/Sales Order",
  records: "data",
  detail: { path: "/api/resource/Sales Order/{record.name}", records: "data" },
};
const page = { by: "offset", param: "limit_start", size: 100, sizeParam: "limit_page_length" };

/** The units that ERPNext brings along. An order with any other unit is quarantined until the unit is added here. */
const units = {
  Nos: "Piece",
  Unit: "Piece",
  Piece: "Piece",
  Meter: "Meter",
  Centimeter: "Centimeter",
  Kg: "Kilogram",
  Gram: "Gram",
  Litre: "Liter",
  Millilitre: "Milliliter",
};

const map = {
  number: "name",
  description: "customer_name",
  dueDate: { from: ["delivery_date", "transaction_date"], date: true },
  requests: {
    each: "items",
    map: {
      itemNumber: "item_code",
      itemName: "item_name",
      requestedAmount: "= stock_qty - delivered_qty * conversion_factor",
      unitOfMeasure: { from: "stock_uom", lookup: units },
      requestExternalIdentifier: "name",
      designatedLocationName: "warehouse",
    },
  },
};

/**
 * ERPNext has no field for amounts that are picked but not delivered, so they are written as a comment on the order.
 */
const noted = (summary: PickingSummary) => ({
  when: { path: summary },
  map: { picked: pickedAmount, item: "itemNumber" },
  path: "/api/resource/Comment",
  body: {
    comment_type: "Info",
    reference_doctype: "Sales Order",
    reference_name: "{workOrderNumber}",
    content: "{mapped.item}: {mapped.picked} picked ({entryId})",
  },
});

export const erpnext: Preset = {
  name: "erpnext",
  title: "ERPNext 14 and later",
  summary: "Submitted sales orders with open deliveries become work orders; picked amounts are noted on them.",
  type: "http",
  requiredOptions: [
    { option: "baseUrl", description: "URL of ERPNext.", example: "https://erp.example.com" },
    {
      option: "auth.token",
      description: "API key and secret of a user, joined by a colon.",
      example: "ERPNEXT_KEY_AND_SECRET",
      isSecret: true,
    },
  ],
  options: {
    auth: { kind: "bearer", prefix: "token" },
    checkPath: "/api/method/frappe.auth.get_logged_user",
    errorText: "exception",
    operations: {
      listWorkOrders: { ...list, query: { filters: open, fields: ["name"], order_by: "name asc" }, page, map },
      findWorkOrderByCode: { ...list, query: { filters: [...open, ["name", "=", "{code}"]], fields: ["name"] }, map },
      getItem: {
        path: "/api/resource/Item/{number}",
        records: "data",
        map: {
          number: "item_code",
          name: "item_name",
          description: "description",
          weight: "weight_per_unit",
          unitOfMeasure: { from: "stock_uom", lookup: units },
        },
      },
      confirmStep: noted("amountToConfirmPickingSummary"),
      confirmCartStep: noted("amountToConfirmSummary"),
    },
  },
};
