import type { Preset } from "./preset.ts";
import { bookStep, trytonCall as call, cancelLine, finishOrder } from "./tryton-booking.ts";

/** Everything is read in one call: another page would cost as much as the whole list. */
const byId = [["id", "ASC"]];

/** One call returns the lines too. A field after a dot is returned in an object whose name ends with a dot. */
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
const units: Readonly<Record<string, readonly [unit: string, per: number]>> = {
  Meter: ["Centimeter", 100],
  Centimeter: ["Centimeter", 1],
  Millimeter: ["Millimeter", 1],
  Kilogram: ["Gram", 1000],
  Gram: ["Gram", 1],
  Liter: ["Centiliter", 100],
  Gallon: ["Gallon", 1],
  Pound: ["Pound", 1],
  "Square meter": ["SquareMeter", 1],
  "Cubic meter": ["CubicMeter", 1],
  Unit: ["Piece", 1],
};
const unitNames = Object.fromEntries(Object.entries(units).map(([name, [unit]]) => [name, unit]));
const unitFactors = Object.fromEntries(Object.entries(units).map(([name, [, per]]) => [name, per]));

/**
 * One line per product, lot and bin. Moves cannot be lines: a partial pick splits them, and planning anew replaces them
 * by moves with other ids. Done moves count too, so that our own bookings change nothing. Only what no path can say is in
 * the expression: it is evaluated for each order of a long list.
 */
const lines = `= $each(\`inventory_moves.\`[state != "cancelled"]{
  \`product.\`.id & "/" & (\`lot.\` ? \`lot.\`.id : 0) & "/" & \`from_location.\`.id: $
}, function($same, $key) {
  { "key": $key, "move": $same[0], "quantity": $round($sum($same.quantity), 6) }
})`;

const day = (date: string) =>
  `${date}.year & "-" & $pad($string(${date}.month), -2, "0") & "-" & $pad($string(${date}.day), -2, "0")`;

const order = {
  number: "number",
  externalIdentifier: "id",
  description: '["customer."].rec_name',
  deliveryNumber: "reference",
  designatedStorageName: '["warehouse."].code',
  workOrderTypeName: { value: "Customer shipment" },
  dueDate: { from: `= planned_date ? ${day("planned_date")} : ${day("create_date")}`, date: "yyyy-MM-dd" },
  requests: {
    each: lines,
    map: {
      itemNumber: 'move["product."].code',
      itemName: 'move["product."].name',
      itemExternalIdentifier: 'move["product."].id',
      requestedAmount: { from: "quantity", unit: { from: 'move["uom."].name', factors: unitFactors } },
      unitOfMeasure: { from: 'move["uom."].name', lookup: unitNames, enum: "UnitOfMeasure" },
      lotNumber: 'move["lot."].number',
      designatedLocationName: 'move["from_location."].code',
      requestExternalIdentifier: "key",
      requestExternalData: {
        uom: 'move["uom."].id',
        digits: 'move["uom."].digits',
        per: { from: 'move["uom."].name', lookup: unitFactors },
      },
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
  requiredOptions: [
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
    // A warning has its name before the text.
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
          unitOfMeasure: { from: '["default_uom."].name', lookup: unitNames, enum: "UnitOfMeasure" },
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
