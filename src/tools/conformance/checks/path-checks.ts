import { type OperationId, operationRow } from "../../../contract/operations.ts";
import type { Check } from "../conformance-check.ts";
import { expectResult, skipUnlessServed, type Trial } from "../harness/knowledge.ts";
import { type Exchange, isSuccess, resultOf } from "../harness/recorded-exchange.ts";
import { inventedNumber } from "../harness/sample-input.ts";
import { sentences } from "../sentences.ts";

const odd = [
  "A/B",
  "50%",
  "%2F",
  "A+B",
  "A B",
  "..A..",
  "a?b=c#d",
  "&=;,",
  "Ünïcödé",
  "€📦",
  '"<>\\',
  "IntegrateImage/5",
];
/** Shorter than any limit for codes that an adapter may set. */
const longest = 200;
/** The name of the parameter, and the answer to an unknown value. */
const rows = [
  { operation: "findPutWallOrders", param: "code", unknown: "Succeed" },
  { operation: "getItem", param: "number", unknown: "ItemDoesNotExist" },
  { operation: "getItemImage", param: "number", unknown: "ImageDoesNotExist" },
] as const satisfies readonly { operation: OperationId; param: string; unknown: string }[];

const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("");

/** Puts this text into the path unchanged, whether encoded or not. */
const queryRaw = (trial: Trial, operation: OperationId, written: string): Promise<Exchange> => {
  const row = operationRow(operation);
  return trial.call(
    operation,
    { code: "x", number: "x" },
    {
      change: (request) => ({ ...request, path: row.path.replace(/\{\w+\}$/, () => written) }),
    },
  );
};

function knownItem(trial: Trial): string {
  const item = trial.known.items.find((number) => /^[\w.-]+$/.test(number)) ?? trial.known.items[0];
  return item ?? trial.skip("no item is known; name one with --item");
}

export const pathChecks: readonly Check[] = [
  ...rows.map(
    ({ operation, param, unknown }): Check => ({
      id: `${operation}.odd-characters`,
      group: operation,
      title: "a value in the path may hold any character",
      level: "read-only",
      basis: sentences.pathValues,
      hint: "Match the raw path and decode afterwards; some frameworks refuse %2F or normalise dots before you see them.",
      run: async (trial) => {
        for (const text of [...odd, "x".repeat(longest)]) {
          const value = `${text}${trial.runId}`;
          expectResult(
            trial,
            await trial.call(operation, { [param]: value }),
            [unknown],
            `for ${JSON.stringify(text)}`,
          );
        }
      },
    }),
  ),
  {
    id: "getItem.named-file",
    group: "getItem",
    title: 'an item may be called "File"',
    level: "read-only",
    basis: sentences.itemFile,
    hint: "The route of the file upload is for POST only.",
    run: async (trial) => {
      expectResult(trial, await trial.call("getItem", { number: "File" }), ["Succeed", "ItemDoesNotExist"]);
    },
  },
  {
    id: "getItem.encoded",
    group: "getItem",
    title: "an encoded number is the number",
    level: "read-only",
    basis: sentences.decodedOnce,
    hint: "Decode percent signs in the path.",
    run: async (trial) => {
      const number = knownItem(trial);
      const exchange = await queryRaw(trial, "getItem", everyByte(number));
      if (!isSuccess(exchange)) trial.complain(exchange, `item ${number}`);
    },
  },
  {
    id: "getItem.decoded-once",
    group: "getItem",
    title: "a number is decoded once, not twice",
    level: "read-only",
    basis: sentences.decodedOnce,
    hint: "A framework may have decoded the value already: an item named 50%25 is lost otherwise.",
    run: async (trial) => {
      const number = knownItem(trial);
      const exchange = await queryRaw(trial, "getItem", encodeURIComponent(everyByte(number)));
      skipUnlessServed(trial, exchange);
      if (isSuccess(exchange))
        trial.complain(exchange, `not item ${number}: what was asked for is ${everyByte(number)}`);
    },
  },
  {
    id: "getItem.plus",
    group: "getItem",
    title: "a plus in the path is a plus, a blank is a blank",
    level: "read-only",
    basis: sentences.pathValues,
    hint: "In a path only %20 is a blank; the plus belongs to form data.",
    run: async (trial) => {
      const items = trial.known.items.filter((number) => /[+ ]/.test(number) && !number.includes("/"));
      if (items.length === 0) trial.skip("no known item has a plus or a blank in its number");
      for (const number of items) {
        const raw = await queryRaw(trial, "getItem", encodeURIComponent(number).replaceAll("%2B", "+"));
        if (!isSuccess(raw)) trial.complain(raw, `item ${number}`);
        if (!number.includes(" ") || items.includes(number.replaceAll(" ", "+"))) continue;
        const other = await queryRaw(trial, "getItem", encodeURIComponent(number).replaceAll("%20", "+"));
        if (isSuccess(other)) trial.complain(other, `no item: ${number.replaceAll(" ", "+")} is another number`);
      }
    },
  },
  {
    id: "findWorkOrderByCode.encoded",
    group: "findWorkOrderByCode",
    title: "a code in the query is decoded once",
    level: "read-only",
    basis: sentences.decodedOnce,
    hint: "Decode the query as form data, once.",
    run: async (trial) => {
      const [order] = trial.known.orders;
      if (order === undefined) return trial.skip("no order is listed; name one with --order");
      const storage = order.designatedStorageName ?? "Main";
      const twice = await trial.call("findWorkOrderByCode", { Code: everyByte(order.number), StorageName: storage });
      skipUnlessServed(trial, twice);
      if (isSuccess(twice))
        trial.complain(twice, `not order ${order.number}: what was scanned is ${everyByte(order.number)}`);
    },
  },
  {
    id: "findWorkOrderByCode.odd-characters",
    group: "findWorkOrderByCode",
    title: "a scanned code may hold any character",
    level: "read-only",
    basis: sentences.codeNotFound,
    hint: "Scanners send whatever is printed on a label: never fail because of it.",
    run: async (trial) => {
      for (const text of [...odd, "x".repeat(longest)]) {
        const Code = `${text}${inventedNumber(trial.runId, "NONE")}`;
        const exchange = await trial.call("findWorkOrderByCode", { Code, StorageName: "Main" });
        skipUnlessServed(trial, exchange);
        if (resultOf(exchange) !== "WorkOrderDoesNotExist") trial.complain(exchange, "WorkOrderDoesNotExist");
      }
    },
  },
];
