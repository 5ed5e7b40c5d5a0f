import { expect, test } from "vitest";
import { deliveryContext } from "../../test/support/connectors/delivery.ts";
import { httpErp } from "../../test/support/receivers/http-erp.ts";
import { strictErps } from "../../test/support/stand-ins/strict-erps.ts";
import { type HttpOptions, mergeOptions } from "../connectors/http/options/options.ts";
import { Fault } from "../operation/fault.ts";
import { presets } from "./catalogue.ts";

const names = Object.keys(strictErps);
const nested = (path: string, value: unknown): object =>
  // Built from the innermost member outwards, so it ends as an object.
  path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;

/** Opens a preset against the strict stand-in, with the preset's examples as login and the changes of a test. */
async function opened(name: string, changes: object = {}) {
  const preset = presets.find((one) => one.name === name);
  const answer = strictErps[name];
  if (preset === undefined || answer === undefined) throw new Error(`there is no stand-in for ${name}`);
  const examples = preset.requiredOptions
    .filter(({ option }) => option !== "baseUrl")
    .reduce<unknown>((options, { option, example }) => mergeOptions(options, nested(option, example)), {});
  const tokens = await httpErp({}, answer);
  const login = name === "business-central" ? { auth: { tokenUrl: `${tokens.baseUrl}/token` } } : {};
  const whole = [{ preset: name }, login, changes].reduce<unknown>(mergeOptions, examples);
  // The options of the preset and the required ones. Another test checks that they are complete.
  return httpErp(whole as Partial<HttpOptions>, answer);
}

const ids: Readonly<Record<string, string>> = { "sap-business-one": "0" };
const stepOf = (name: string, pickedAmount: number) => {
  const requestExternalIdentifier = ids[name] ?? "311";
  const event = {
    ...{ workOrderNumber: "4711", workOrderExternalIdentifier: "812", requestId: 7, itemNumber: "A" },
    ...{ requestExternalIdentifier, requestAmountInBaseUnitOfMeasure: 4, requestRemainingAmountInBaseUnitOfMeasure: 4 },
    amountToConfirmPickingSummary: { containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: pickedAmount }] },
  };
  const order = { number: "4711", externalIdentifier: "812", dueDate: "2030-01-01", requests: [] };
  const findSubject = async () => ({ order, line: { requestExternalIdentifier, itemNumber: "A", pickedAmount } });
  return { event, context: { ...deliveryContext({ topic: "confirmStep" }), findSubject } };
};

test.each(names)(
  "%s lists, finds a code and an item, and books a step, and the strict stand-in refuses nothing",
  async (name) => {
    const { query, connector } = await opened(name);
    expect((await query("listWorkOrders")).ok).toBe(true);
    await query("findWorkOrderByCode", { Code: "4711", StorageName: "Main" });
    expect((await query("getItem", { number: "A" })).ok).toBe(true);
    const { event, context } = stepOf(name, 4);
    // Only the identity of a step is required, and the operation's type requires no more.
    expect(await connector.operations.confirmStep?.(event as never, context)).toMatchObject({ ok: true });
  },
);

test.each<[string, string, object, RegExp]>([
  ["odoo-json2", "a wrong key", { auth: { token: "other" } }, /401/],
  ["odoo-jsonrpc", "another database", { variables: { database: "test" } }, /does not exist/],
  ["odoo-jsonrpc", "a wrong key", { variables: { apiKey: "other" } }, /Access Denied/],
  ["erpnext", "a wrong key", { auth: { token: "other" } }, /403/],
  ["business-central", "another company", { variables: { companyId: "1" } }, /company|404/],
  ["sap-business-one", "another company", { auth: { body: { CompanyDB: "OTHER" } } }, /401|company|login/i],
])("%s with %s is refused, and the fault says why", async (name, _what, changes, reason) => {
  const { query, faultOf } = await opened(name, changes);
  const outcome = await faultOf(query("listWorkOrders")).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Fault);
  expect(String(outcome)).toMatch(reason);
});

test.each<[string, object, RegExp]>([
  [
    "business-central",
    { operations: { confirmStep: { map: { quantityShipped: { value: 1 } } } } },
    /property 'quantityShipped' does not exist/,
  ],
  [
    "sap-business-one",
    { operations: { confirmStep: { body: { DocumentLines: [{ LineNum: 0, Picked: 1 }] } } } },
    /Property 'Picked'/,
  ],
  ["erpnext", { operations: { confirmStep: { body: { remark: "x" } } } }, /remark/],
])("a field that %s does not have is refused with its text", async (name, changes, reason) => {
  const { connector, faultOf } = await opened(name, changes);
  const { event, context } = stepOf(name, 4);
  // Only the identity of a step is required.
  const sent = Promise.resolve(connector.operations.confirmStep?.(event as never, context));
  expect((await faultOf(sent)).message).toMatch(reason);
});

test.each(["odoo-json2", "odoo-jsonrpc", "business-central"])(
  "an amount in the wrong unit is refused by %s, and the operator sees its text",
  async (name) => {
    const { connector, faultOf } = await opened(name);
    const { event, context } = stepOf(name, 7000);
    // Only the identity of a step is required.
    const fault = await faultOf(Promise.resolve(connector.operations.confirmStep?.(event as never, context)));
    expect(fault.kind).toBe("rejected");
    expect(fault.operatorText).toMatch(/exceeds the demand|cannot ship more/);
  },
);
