import { WorkOrderStatus } from "../contract/enums.ts";
import { type PickingSummary, type Preset, pickedAmount } from "./preset.ts";

// What both interfaces of Odoo share: models, fields and mappings.
const order = {
  name: {},
  origin: {},
  note: {},
  scheduled_date: {},
  date_deadline: {},
  write_date: {},
  partner_id: { fields: { display_name: {} } },
  move_ids: {
    fields: {
      product_id: { fields: { default_code: {}, display_name: {} } },
      product_uom_qty: {},
      product_uom: { fields: { name: {} } },
      state: {},
      sequence: {},
    },
  },
};
const item = {
  default_code: {},
  display_name: {},
  weight: {},
  volume: {},
  uom_id: { fields: { name: {} } },
  write_date: {},
};

/** Deliveries with reserved goods. */
const open = [
  ["picking_type_code", "=", "outgoing"],
  ["state", "=", "assigned"],
];
const inPages = { limit: "{limit}", offset: "{offset}", order: "id" };

export interface OdooCall {
  readonly model: string;
  readonly method: string;
  readonly ids?: readonly unknown[];
  readonly named: Readonly<Record<string, unknown>>;
}

const odooCalls = {
  openOrders: {
    model: "stock.picking",
    method: "web_search_read",
    named: { domain: open, specification: order, ...inPages },
  },
  ordersByCode: {
    model: "stock.picking",
    method: "web_search_read",
    named: { domain: [...open, "|", ["name", "=", "{code}"], ["origin", "=", "{code}"]], specification: order },
  },
  changedOrders: {
    model: "stock.picking",
    method: "web_search_read",
    named: { domain: [...open, ["write_date", ">=", "{since}"]], specification: order, ...inPages },
  },
  itemByNumber: {
    model: "product.product",
    method: "web_search_read",
    named: { domain: [["default_code", "=", "{number}"]], specification: item, limit: 1 },
  },
  imageByNumber: {
    model: "product.product",
    method: "web_search_read",
    named: { domain: [["default_code", "=", "{number}"]], specification: { image_512: {} }, limit: 1 },
  },
  bookLine: {
    model: "stock.move",
    method: "write",
    ids: ["{mapped.line}"],
    named: { vals: { quantity: "{mapped.picked}", picked: true } },
  },
  findOrder: {
    model: "stock.picking",
    method: "search_read",
    named: { domain: [["name", "=", "{number}"]], fields: ["id"], limit: 1 },
  },
} as const satisfies Record<string, OdooCall>;

const orderMap = {
  number: "name",
  externalIdentifier: "id",
  description: `= $join([partner_id.display_name, origin ? origin : ()], ", ")`,
  deliveryNumber: `= origin ? origin : ()`,
  dueDate: { from: `= date_deadline ? date_deadline : scheduled_date`, date: "yyyy-MM-dd HH:mm:ss", zone: "UTC" },
  requests: {
    each: "move_ids",
    map: {
      itemNumber: `= product_id.default_code ? product_id.default_code : ()`,
      itemName: "product_id.display_name",
      requestedAmount: "product_uom_qty",
      unitOfMeasure: { from: "product_uom.name", enum: "UnitOfMeasure" },
      requestExternalIdentifier: "id",
    },
  },
};
const itemMap = {
  number: "default_code",
  name: "display_name",
  externalIdentifier: "id",
  weight: "weight",
  volume: "volume",
  unitOfMeasure: { from: "uom_id.name", enum: "UnitOfMeasure" },
};

const bookedBy = (summary: PickingSummary) => ({
  when: { path: summary },
  map: { line: { from: "requestExternalIdentifier", number: true }, picked: pickedAmount },
});

const odooMappings = {
  order: orderMap,
  item: itemMap,
  step: bookedBy("amountToConfirmPickingSummary"),
  cartStep: bookedBy("amountToConfirmSummary"),
  isCompleted: { path: "status", equals: WorkOrderStatus.Completed },
};

/** The queries and events of every Odoo version. Only the wrapping of requests and answers differs. */
function odooOperations({
  request,
  page,
  answer,
  foundId,
}: {
  readonly request: (call: OdooCall) => object;
  readonly page: object;
  /** Prefix of a path into an answer. */
  readonly answer: string;
  /** The path of the delivery that the first of two steps found. */
  readonly foundId: string;
}) {
  const records = `${answer}records`;
  const validate: OdooCall = {
    model: "stock.picking",
    method: "button_validate",
    ids: [`{${foundId}}`],
    named: { context: { skip_backorder: true } },
  };
  return {
    listWorkOrders: { ...request(odooCalls.openOrders), records, page, map: odooMappings.order },
    findWorkOrderByCode: { ...request(odooCalls.ordersByCode), records, map: odooMappings.order },
    getItem: { ...request(odooCalls.itemByNumber), records, map: odooMappings.item },
    getItemImage: { ...request(odooCalls.imageByNumber), records: `${records}.0.image_512` },
    confirmStep: { ...odooMappings.step, ...request(odooCalls.bookLine) },
    confirmCartStep: { ...odooMappings.cartStep, ...request(odooCalls.bookLine) },
    changeStatus: {
      when: odooMappings.isCompleted,
      steps: [request(odooCalls.findOrder), { ...request(validate), when: { path: foundId } }],
    },
  };
}

const json2Request = ({ model, method, ids, named }: OdooCall) => ({
  method: "POST",
  path: `/json/2/${model}/${method}`,
  body: { ...(ids === undefined ? {} : { ids }), ...named },
});
const json2Page = { by: "offset", size: 200, total: "length" };

export const odooJson2: Preset = {
  name: "odoo-json2",
  title: "Odoo 19 and later (JSON-2)",
  summary: "Deliveries with reserved goods become work orders; picked amounts are booked on their lines.",
  type: "http",
  requiredOptions: [
    { option: "baseUrl", description: "URL of Odoo.", example: "https://odoo.example.com" },
    {
      option: "auth.token",
      description: "API key of a user of the warehouse.",
      example: "ODOO_API_KEY",
      isSecret: true,
    },
  ],
  options: {
    auth: { kind: "bearer", prefix: "bearer" },
    checkPath: "/web/version",
    operations: odooOperations({ request: json2Request, page: json2Page, answer: "", foundId: "steps[0][0].id" }),
  },
};

const jsonrpcRequest = ({ model, method, ids, named }: OdooCall) => ({
  method: "POST",
  path: "/jsonrpc",
  body: {
    jsonrpc: "2.0",
    method: "call",
    id: 1,
    params: {
      service: "object",
      method: "execute_kw",
      args: ["{database}", "{userId}", "{apiKey}", model, method, ids === undefined ? [] : [ids], named],
    },
  },
});
const jsonrpcPage = { by: "offset", size: 200, total: "result.length" };

export const odooJsonrpc: Preset = {
  name: "odoo-jsonrpc",
  title: "Odoo 17 and 18 (JSON-RPC)",
  summary: "As odoo-json2, for versions without JSON-2.",
  type: "http",
  requiredOptions: [
    { option: "baseUrl", description: "URL of Odoo.", example: "https://odoo.example.com" },
    { option: "variables.database", description: "Name of the database.", example: "production" },
    { option: "variables.userId", description: "Id of the user, as a number.", example: 2 },
    { option: "variables.apiKey", description: "API key of that user.", example: "ODOO_API_KEY", isSecret: true },
  ],
  options: {
    success: { absent: "error" },
    errorText: "error.data.message",
    operations: odooOperations({
      request: jsonrpcRequest,
      page: jsonrpcPage,
      answer: "result.",
      foundId: "steps[0].result[0].id",
    }),
  },
};
