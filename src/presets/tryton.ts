import type { Preset } from "./preset.ts";
import { bookStep, trytonCall as call, cancelLine, finishOrder } from "./tryton-booking.ts";

/** Everything in one call: a page more would cost as much as the whole list. */
const byId = [["id", "ASC"]];

/** One call brings the lines too. A field behind a point comes back in an object whose name ends with a point. */
const orderFields = [
  ...["number", "reference", "planned_date", "create_date", "customer.rec_name", "warehouse.code"],
  ...[
    "state",
    "quantity",
    "product.code",
    "product.name",
    "uom.name",
    "uom.digits",
    "lot.number",
    "from_location.code",
  ].map((name) => `inventory_moves.${name}`),
];

/** Tryton counts metres with two decimals, and the contract has whole amounts: units of Tryton, and what they become. */
const units = `{
  "Meter": { "unit": "Centimeter", "per": 100 }, "Centimeter": { "unit": "Centimeter", "per": 1 },
  "Millimeter": { "unit": "Millimeter", "per": 1 }, "Kilogram": { "unit": "Gram", "per": 1000 },
  "Gram": { "unit": "Gram", "per": 1 }, "Liter": { "unit": "Centiliter", "per": 100 },
  "Gallon": { "unit": "Gallon", "per": 1 }, "Pound": { "unit": "Pound", "per": 1 },
  "Square meter": { "unit": "SquareMeter", "per": 1 }, "Cubic meter": { "unit": "CubicMeter", "per": 1 },
  "Unit": { "unit": "Piece", "per": 1 }
}`;

/**
 * One line per product, lot and bin. Moves cannot be lines: a partial pick splits them, and planning anew replaces them
 * by moves with other ids. Done moves count too, so that our own bookings change nothing.
 */
const lines = `= (
  $units := ${units};
  $moves := \`inventory_moves.\`[state != "cancelled"].{
    "key": \`product.\`.id & "/" & (\`lot.\`.id ? \`lot.\`.id : 0) & "/" & \`from_location.\`.id,
    "product": \`product.\`, "lot": \`lot.\`.number, "bin": \`from_location.\`.code, "uom": \`uom.\`, "quantity": quantity
  };
  $each($moves{ key: $ }, function($same) {
    $merge([$same[0], { "quantity": $sum($same.quantity), "as": $lookup($units, $same[0].uom.name) }])
  })
)`;

const day = (date: string) =>
  `${date}.year & "-" & $pad($string(${date}.month), -2, "0") & "-" & $pad($string(${date}.day), -2, "0")`;

const order = {
  number: "number",
  externalIdentifier: "id",
  description: "= `customer.`.rec_name",
  deliveryNumber: "reference",
  designatedStorageName: "= `warehouse.`.code",
  workOrderTypeName: { value: "Customer shipment" },
  dueDate: { from: `= planned_date ? ${day("planned_date")} : ${day("create_date")}`, date: "yyyy-MM-dd" },
  requests: {
    each: lines,
    map: {
      itemNumber: "product.code",
      itemName: "product.name",
      itemExternalIdentifier: "product.id",
      requestedAmount: "= $round(quantity * as.per, 4)",
      unitOfMeasure: { from: "as.unit", enum: "UnitOfMeasure" },
      lotNumber: "lot",
      designatedLocationName: "bin",
      requestExternalIdentifier: "key",
      requestExternalData: { uom: "uom.id", digits: "uom.digits", per: "as.per" },
    },
  },
};

const assigned = ["state", "=", "assigned"];
const changedSince = (state: string) => [
  ["state", "=", state],
  ["OR", ["write_date", ">=", "{since}"], ["create_date", ">=", "{since}"]],
];
const since = { format: "blank", zone: "UTC", overlapSeconds: 120 };

export const tryton: Preset = {
  name: "tryton",
  title: "Tryton 6.0 (JSON-RPC)",
  summary: "Assigned customer shipments become work orders; picked amounts become done moves from the bin to the dock.",
  type: "http",
  queries: [
    { option: "baseUrl", description: "URL of Tryton with the database.", example: "https://tryton.example.com/erp" },
    { option: "variables.user", description: "User with the group Stock.", example: "crossdock" },
    { option: "variables.password", description: "Its password.", example: "TRYTON_PASSWORD", isSecret: true },
  ],
  options: {
    auth: {
      kind: "session",
      loginPath: "/",
      body: { id: 1, method: "common.db.login", params: ["{user}", { password: "{password}" }, "en"] },
      loginFailedWhen: [{ path: "error" }],
      headers: {
        Authorization: '= "Session " & $base64encode($variables.user & ":" & result[0] & ":" & result[1])',
      },
    },
    success: { absent: "error" },
    tryLaterWhen: [{ path: "error[0]", equals: "ConcurrencyException" }],
    // A warning has its name first, and then the text.
    errorText: ['= error[0] = "UserWarning" ? error[1][1] : error[1][0]', "error[0]"],
    operations: {
      listWorkOrders: {
        ...call("model.stock.shipment.out.search_read", [[assigned], ...[0, null, byId, orderFields, {}]]),
        records: "result",
        map: order,
      },
      findWorkOrderByCode: {
        ...call("model.stock.shipment.out.search_read", [
          [assigned, ["OR", ["number", "=", "{code}"], ["reference", "=", "{code}"]]],
          ...[0, 2, byId, orderFields, {}],
        ]),
        records: "result",
        map: order,
      },
      getItem: {
        ...call("model.product.product.search_read", [
          [["code", "=", "{number}"]],
          ...[0, 1, byId],
          ["code", "name", "description", "weight", "length", "width", "height", "default_uom.name"],
          {},
        ]),
        records: "result",
        map: {
          number: "code",
          name: "name",
          description: "description",
          externalIdentifier: "id",
          weight: "weight",
          length: "length",
          width: "width",
          height: "height",
          unitOfMeasure: { from: `= $lookup(${units}, \`default_uom.\`.name).unit`, enum: "UnitOfMeasure" },
        },
      },
      confirmStep: bookStep,
      confirmCartStep: bookStep,
      cancelWorkOrderRequest: cancelLine,
      orderFinished: finishOrder,
    },
    poll: [
      {
        topic: "workOrders",
        everySeconds: 15,
        ...call("model.stock.shipment.out.search_read", [
          changedSince("assigned"),
          ...[0, null, byId, orderFields, {}],
        ]),
        records: "result",
        since,
        map: order,
      },
      {
        topic: "cancellations",
        everySeconds: 15,
        ...call("model.stock.shipment.out.search_read", [
          changedSince("cancelled"),
          ...[0, null, byId, ["number"], {}],
        ]),
        records: "result",
        since,
        map: { workOrderNumber: "number" },
      },
    ],
  },
};
