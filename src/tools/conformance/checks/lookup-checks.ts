import type { Check } from "../conformance-check.ts";
import { expectResult, skipUnlessServed, type Trial } from "../harness/knowledge.ts";
import { isObject, isSuccess, resultOf } from "../harness/recorded-exchange.ts";
import { inventedNumber } from "../harness/sample-input.ts";
import { sentences } from "../sentences.ts";

const maxScanned = 5;
const scan = (trial: Trial, code: string, storage: string) =>
  trial.call("findWorkOrderByCode", { Code: code, StorageName: storage });

/** Listed orders, with a storage in which they can be scanned. */
function scannable(trial: Trial) {
  const orders = trial.known.orders.slice(0, maxScanned);
  if (orders.length === 0) trial.skip("no order is listed; name one with --order");
  return orders.map((order) => ({ order, storage: order.designatedStorageName ?? "Main" }));
}

/**
 * Complains unless a scan finds the order by this code. An order that is no longer listed may be gone for a good
 * reason.
 */
async function expectFound(trial: Trial, code: string, storage: string, number: string): Promise<void> {
  const exchange = await scan(trial, code, storage);
  skipUnlessServed(trial, exchange);
  const { data } = { ...exchange.answer };
  if (isSuccess(exchange) && isObject(data) && data["number"] === number) return;
  const listed = await trial.call("listWorkOrders");
  const list = listed.answer?.["data"];
  const isStillListed = Array.isArray(list) && list.some((one) => isObject(one) && one["number"] === number);
  if (isStillListed) trial.complain(exchange, `order ${number}`);
}

/** Orders, items and images by scanned code. */
export const lookupChecks: readonly Check[] = [
  {
    id: "findWorkOrderByCode.unknown",
    group: "findWorkOrderByCode",
    title: "an unknown code gives result 2 with data null",
    level: "read-only",
    basis: sentences.codeNotFound,
    hint: "WorkOrderDoesNotExist in the envelope with HTTP 200, and a text for the operator.",
    run: async (trial) => {
      const exchange = await scan(trial, inventedNumber(trial.runId, "NONE"), "Main");
      expectResult(trial, exchange, ["WorkOrderDoesNotExist"]);
    },
  },
  {
    id: "findWorkOrderByCode.listed",
    group: "findWorkOrderByCode",
    title: "a listed order is found by its number in its storage",
    level: "read-only",
    basis: sentences.scannedCode,
    hint: "List and scan must know the same orders.",
    run: async (trial) => {
      for (const { order, storage } of scannable(trial)) await expectFound(trial, order.number, storage, order.number);
    },
  },
  {
    id: "findWorkOrderByCode.alternative-number",
    group: "findWorkOrderByCode",
    title: "a listed order is found by its alternative start number",
    level: "read-only",
    basis: sentences.scannedCode,
    hint: "alternativeStartNumber is an alternative scannable code that can start the order.",
    run: async (trial) => {
      const orders = scannable(trial).filter(
        ({ order }) => typeof order.alternativeStartNumber === "string" && order.alternativeStartNumber !== "",
      );
      const unique = orders.filter(({ order }) =>
        trial.known.orders.every(
          (other) => other === order || other.alternativeStartNumber !== order.alternativeStartNumber,
        ),
      );
      if (unique.length === 0) trial.skip("no listed order has an alternative start number of its own");
      for (const { order, storage } of unique) {
        await expectFound(trial, order.alternativeStartNumber ?? "", storage, order.number);
      }
    },
  },
  {
    id: "findWorkOrderByCode.blanks",
    group: "findWorkOrderByCode",
    title: "blanks around a scanned code are ignored",
    level: "read-only",
    basis: sentences.scannedCode,
    hint: "Scanners add blanks and line ends: trim the code.",
    run: async (trial) => {
      for (const { order, storage } of scannable(trial))
        await expectFound(trial, ` ${order.number} `, storage, order.number);
    },
  },
  {
    id: "findWorkOrderByCode.other-storage",
    group: "findWorkOrderByCode",
    title: "an order of another storage is not found",
    level: "read-only",
    basis: sentences.otherStorage,
    hint: "Compare designatedStorageName with StorageName, and name the right storage in externalMessage.",
    run: async (trial) => {
      const bound = scannable(trial).filter(({ order }) => (order.designatedStorageName ?? "") !== "");
      if (bound.length === 0) trial.skip("no listed order is bound to a storage");
      for (const { order } of bound) {
        const exchange = await scan(trial, order.number, inventedNumber(trial.runId, "STORAGE"));
        expectResult(trial, exchange, ["WorkOrderDoesNotExist"], `for an order of ${order.designatedStorageName}`);
      }
    },
  },
  {
    id: "findWorkOrderByCode.storage-case",
    group: "findWorkOrderByCode",
    title: "storage names are compared in any letter case",
    level: "read-only",
    basis: sentences.storageCase,
    hint: "Compare without letter case: ERP and platform are maintained by different people.",
    run: async (trial) => {
      const bound = scannable(trial).filter(({ order }) => (order.designatedStorageName ?? "") !== "");
      if (bound.length === 0) trial.skip("no listed order is bound to a storage");
      for (const { order, storage } of bound) {
        await expectFound(trial, order.number, storage.toUpperCase(), order.number);
        await expectFound(trial, order.number, storage.toLowerCase(), order.number);
      }
    },
  },
  {
    id: "findPutWallOrders.unknown",
    group: "findPutWallOrders",
    title: "an unknown put-wall code is a success with an empty list",
    level: "read-only",
    basis: sentences.putWallUnknown,
    hint: "[] and a text for the operator, not a failure and not null.",
    run: async (trial) => {
      const exchange = await trial.call("findPutWallOrders", { code: inventedNumber(trial.runId, "NONE") });
      if (!expectResult(trial, exchange, ["Succeed"])) return;
      const data = exchange.answer?.["data"];
      if (!Array.isArray(data) || data.length > 0) trial.complain(exchange, "data []");
    },
  },
  {
    id: "findPutWallOrders.delivery",
    group: "findPutWallOrders",
    title: "orders found at the put wall are those of the scanned code",
    level: "read-only",
    basis: sentences.putWallCode,
    hint: "Of a delivery number, return the orders of that delivery.",
    run: async (trial) => {
      const codes = new Set(trial.known.orders.flatMap(({ deliveryNumber }) => deliveryNumber || []));
      if (codes.size === 0) trial.skip("no listed order has a delivery number");
      for (const code of [...codes].slice(0, maxScanned)) {
        const exchange = await trial.call("findPutWallOrders", { code });
        skipUnlessServed(trial, exchange);
        const data = exchange.answer?.["data"];
        const found = Array.isArray(data) ? data.filter(isObject) : [];
        // A deployment may sort by other codes. Then the list is empty and proves nothing.
        if (found.some((one) => one["deliveryNumber"] !== code) && found.some((one) => one["deliveryNumber"] === code))
          trial.complain(exchange, `orders of ${code} only`);
      }
    },
  },
  {
    id: "getItem.unknown",
    group: "getItem",
    title: "an unknown item is ItemDoesNotExist",
    level: "read-only",
    basis: sentences.entityResults,
    hint: "Tell not found from failed: an ERP's 404 is an answer.",
    run: async (trial) => {
      const exchange = await trial.call("getItem", { number: inventedNumber(trial.runId, "NONE") });
      expectResult(trial, exchange, ["ItemDoesNotExist"]);
    },
  },
  {
    id: "getItem.itself",
    group: "getItem",
    title: "the item found is the requested one",
    level: "read-only",
    basis: sentences.oneItem,
    hint: "Return the item's own number, not an internal id.",
    run: async (trial) => {
      if (trial.known.items.length === 0) trial.skip("no item is known; name one with --item");
      for (const number of trial.known.items.slice(0, maxScanned)) {
        const exchange = await trial.call("getItem", { number });
        const found = Object(exchange.answer?.["data"] ?? {})["number"];
        const isOther = typeof found === "string" && found.toLowerCase() !== number.toLowerCase();
        if (!isSuccess(exchange) || isOther) trial.complain(exchange, `item ${number}`);
      }
    },
  },
  {
    id: "getItemImage.unknown",
    group: "getItemImage",
    title: "an unknown item has no image: ImageDoesNotExist",
    level: "read-only",
    basis: sentences.noImage,
    hint: "Neither a success without data nor a placeholder picture.",
    run: async (trial) => {
      const exchange = await trial.call("getItemImage", { number: inventedNumber(trial.runId, "NONE") });
      expectResult(trial, exchange, ["ImageDoesNotExist"]);
    },
  },
  {
    id: "getItemImage.known",
    group: "getItemImage",
    title: "a known item has an image or ImageDoesNotExist",
    level: "read-only",
    basis: sentences.image,
    hint: "No other result for an item without a picture.",
    run: async (trial) => {
      if (trial.known.items.length === 0) trial.skip("no item is known; name one with --item");
      for (const number of trial.known.items.slice(0, maxScanned)) {
        expectResult(trial, await trial.call("getItemImage", { number }), ["Success", "ImageDoesNotExist"]);
      }
    },
  },
  {
    id: "getReport.unknown",
    group: "getReport",
    title: "a report on unknown orders is an empty report or WorkOrderDoesNotExist",
    level: "read-only",
    basis: sentences.reportUnknown,
    hint: "Not InvalidInput: the request itself is in order.",
    run: async (trial) => {
      const number = inventedNumber(trial.runId, "NONE");
      const input = { workOrdersNumbers: [number], storageId: "Main", remainingRequests: {} };
      const exchange = await trial.call("getReport", input);
      expectResult(trial, exchange, ["WorkOrderDoesNotExist", "Succeed", "OperationFailed"]);
      if (resultOf(exchange) === "OperationFailed" && isObject(exchange.answer?.["validationStatus"]))
        trial.complain(exchange, "no validationStatus, since the request is in order");
    },
  },
];
