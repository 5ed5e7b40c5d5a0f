import type { Check } from "../conformance-check.ts";
import { expectResult, expectSame, skipUnlessServed, type Trial } from "../harness/knowledge.ts";
import { type Exchange, isObject, isSuccess } from "../harness/recorded-exchange.ts";
import { inventedNumber } from "../harness/sample-input.ts";
import { sentences } from "../sentences.ts";

const bigExportRows = 10_000;
const listIn = ({ answer }: Exchange): readonly Readonly<Record<string, unknown>>[] => {
  const data = answer?.["data"];
  return Array.isArray(data) ? data.filter(isObject) : [];
};
const keysIn = (exchange: Exchange): readonly unknown[] => listIn(exchange).map(({ key }) => key);

const row = (trial: Trial, name: string, externalData: string | null = null) => ({
  workOrderNumber: inventedNumber(trial.runId, name),
  externalData,
  deliveryNoteExternalData: null,
  deliveryAddressExternalData: null,
});

/** Sends rows and complains unless each row comes back in its place. */
async function expectRows(trial: Trial, rows: readonly { workOrderNumber: string }[]): Promise<Exchange> {
  const exchange = await trial.call("getExportValues", rows, rows.length > 100 ? { isLarge: true } : {});
  if (!expectResult(trial, exchange, ["Success"])) return exchange;
  const sent = rows.map(({ workOrderNumber }) => workOrderNumber);
  const found = listIn(exchange).map(({ workOrderNumber }) => workOrderNumber);
  if (sent.join("\n") !== found.join("\n")) {
    trial.complain(exchange, `${sent.length} rows in the order they were sent, not ${found.length}`);
  }
  return exchange;
}

export const exportChecks: readonly Check[] = [
  {
    id: "getExportColumns.keys",
    group: "getExportColumns",
    title: "every column has a key of its own, the same on every call",
    level: "read-only",
    basis: sentences.columnKey,
    hint: "The platform remembers keys in the user's selection: do not make them from positions or random numbers.",
    run: async (trial) => {
      const [one, other] = [await trial.call("getExportColumns"), await trial.call("getExportColumns")];
      skipUnlessServed(trial, one);
      const keys = keysIn(one);
      if (new Set(keys).size !== keys.length) trial.complain(one, "no key twice");
      if (keys.includes("")) trial.complain(one, "keys that are not empty");
      if (keysIn(other).join("\n") !== keys.join("\n")) trial.complain(other, `the keys ${keys.join(", ")} again`);
    },
  },
  {
    id: "getExportValues.known-keys",
    group: "getExportValues",
    title: "values are given for offered columns only",
    level: "read-only",
    basis: sentences.exportValues,
    hint: "Use the keys that GET /WorkOrders/WorkOrderExportColumns returns, spelled alike.",
    run: async (trial) => {
      const columns = await trial.call("getExportColumns");
      skipUnlessServed(trial, columns);
      if (!isSuccess(columns)) trial.skip("the columns are not told");
      const keys = new Set(keysIn(columns));
      const exchange = await trial.call("getExportValues", [row(trial, "ORDER", '{"priority":"high"}')]);
      skipUnlessServed(trial, exchange);
      const strange = listIn(exchange).flatMap(({ values }) =>
        Object.keys(isObject(values) ? values : {}).filter((key) => !keys.has(key)),
      );
      if (strange.length > 0) trial.complain(exchange, `none but the offered keys, not ${strange.join(", ")}`);
    },
  },
  {
    id: "getExportValues.rows",
    group: "getExportValues",
    title: "every exported order gets its row, in the order they were sent",
    level: "read-only",
    basis: sentences.oneRowEach,
    hint: "Also an order nobody knows gets a row, with empty values.",
    run: async (trial) => {
      await expectRows(
        trial,
        ["C", "A", "B"].map((name) => row(trial, name)),
      );
      await expectRows(trial, []);
    },
  },
  {
    id: "getExportValues.owner",
    group: "getExportValues",
    title: "values belong to an order that was sent",
    level: "read-only",
    basis: sentences.exportRow,
    hint: "Return the workOrderNumber as it was sent.",
    run: async (trial) => {
      const sent = row(trial, "ORDER");
      const exchange = await trial.call("getExportValues", [sent]);
      skipUnlessServed(trial, exchange);
      const strange = listIn(exchange).filter(({ workOrderNumber }) => workOrderNumber !== sent.workOrderNumber);
      if (strange.length > 0) trial.complain(exchange, `rows of ${sent.workOrderNumber} only`);
    },
  },
  {
    id: "getExportValues.unreadable",
    group: "getExportValues",
    title: "external data that cannot be read does not stop the export",
    level: "read-only",
    basis: sentences.unreadableData,
    hint: "A damaged order gives empty cells; the other thousands are exported.",
    run: async (trial) => {
      const plain = await trial.call("getExportValues", [row(trial, "A")]);
      skipUnlessServed(trial, plain);
      for (const text of ["{", "not JSON", "", "null", "[1]"]) {
        const exchange = await trial.call("getExportValues", [row(trial, "A", text), row(trial, "B")]);
        expectSame(trial, exchange, plain, `external data ${JSON.stringify(text)}`);
      }
    },
  },
  {
    id: "getExportValues.big",
    group: "getExportValues",
    title: `an export of ${bigExportRows} orders is answered`,
    level: "read-only",
    basis: sentences.wholeExport,
    hint: "Raise the limit of the request body, and ask no external system per row.",
    run: async (trial) => {
      const rows = Array.from({ length: bigExportRows }, (_, index) =>
        row(trial, String(index), `{"note":"${"x".repeat(120)}"}`),
      );
      const exchange = await trial.call("getExportValues", rows, { isLarge: true });
      expectResult(trial, exchange, ["Success"], `for ${bigExportRows} rows`);
    },
  },
];
