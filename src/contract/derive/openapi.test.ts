import { type Static, type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { openApiRules } from "../../../test/conformance/openapi-rules.ts";
import { adminRouteNames } from "../admin/admin-rows.ts";
import { derivedEventIds } from "../derived-events.ts";
import { limits } from "../limits.ts";
import { operationIds, operationRow } from "../operations.ts";
import { pushProgressPath, pushRow, pushTopics } from "../pushes.ts";
import { componentRegistry } from "./component-registry.ts";
import { openApi } from "./openapi.ts";
import { spoiledSamples, validSamples } from "./samples.ts";

// The first test shows that the document has this form.
const document = openApi({ version: "1.2.3" }) as unknown as Static<typeof openApiRules>;
const received = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const sent = Object.entries(document.webhooks).map(([path, { post }]) => ({ path, method: "post", operation: post }));
const operations = [...received, ...sent];

test("every derived event is described as a request that the adapter sends", () => {
  expect(sent.map(({ operation }) => operation.operationId)).toEqual(derivedEventIds);
  for (const { path, operation } of sent) {
    expect(operation.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: `#/components/schemas/${path.charAt(0).toUpperCase()}${path.slice(1)}`,
    });
  }
});

test("the document follows the rules of OpenAPI 3.1", () => {
  expect(Compile(openApiRules).Errors(document)).toEqual([]);
  expect(document.info.version).toBe("1.2.3");
});

test("it describes every row of the table, every push and what becomes of it, once", () => {
  const rows = operationIds.map((id) => `${operationRow(id).method} ${operationRow(id).path} ${id}`);
  const pushes = pushTopics.map(
    (topic) => `POST ${pushRow(topic).path} push${topic.charAt(0).toUpperCase()}${topic.slice(1)}`,
  );
  const described = received.map(
    ({ path, method, operation }) => `${method.toUpperCase()} ${path} ${operation.operationId}`,
  );
  const admin = described.filter((one) => one.includes(" /admin/"));
  const paths = admin.map((one) => one.replace(/ \w+$/, "").replace(/\{(\w+)\}/g, ":$1"));
  expect(paths.sort()).toEqual([...adminRouteNames].sort());
  const others = described.filter((one) => !admin.includes(one));
  expect(others.sort()).toEqual([...rows, ...pushes, `GET ${pushProgressPath} getPushProgress`].sort());
});

test("every reference leads somewhere, every tag and key scheme is explained, and nothing is left over", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? "");
  for (const reference of references) expect(resolve(reference), reference).toBeDefined();
  const used = new Set(references);
  // Everything that is named in the components must be used by an operation.
  for (const [kind, parts] of Object.entries({ ...document.components, securitySchemes: {} })) {
    for (const name of Object.keys(parts)) expect(used).toContain(`#/components/${kind}/${name}`);
  }
  const tags = new Set(document.tags.map(({ name }) => name));
  const schemes = Object.keys(document.components.securitySchemes);
  for (const { operation } of operations) {
    expect(tags).toContain(operation.tags[0]);
    for (const scheme of operation.security?.flatMap(Object.keys) ?? []) expect(schemes).toContain(scheme);
  }
});

test("path parameters are declared and required, exactly those of the path", () => {
  for (const { path, operation } of operations) {
    const declared = operation.parameters.flatMap((one) =>
      "in" in one && one.in === "path" && one.required === true ? [one.name] : [],
    );
    expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  }
});

test("every example fits the schema beside it", () => {
  let count = 0;
  const contents = operations.flatMap(({ path, operation }) => [
    { path, content: operation.requestBody?.content ?? {} },
    ...Object.values(operation.responses).map((response) => ({
      path,
      content: "$ref" in response ? resolve<{ content: object }>(response.$ref).content : (response.content ?? {}),
    })),
  ]);
  for (const { path, content } of contents) {
    for (const { schema, examples = {} } of Object.values(
      content as Record<string, { schema: object; examples?: object }>,
    )) {
      const check = checkOf(schema);
      for (const [name, example] of Object.entries(examples)) {
        count++;
        expect(check.Errors(Object(example).value), `${path} ${name}`).toEqual([]);
      }
    }
  }
  expect(count).toBeGreaterThan(150);
});

test("every operation says what it is secured by, and shows an example of every refusal", () => {
  for (const { path, operation } of operations) {
    expect(operation.security, path).toBeDefined();
    const refusals = Object.entries(operation.responses).filter(([status]) => status.startsWith("4"));
    expect(refusals.length, path).toBeGreaterThan(0);
    for (const [status, response] of refusals) {
      const { content = {} } = "$ref" in response ? resolve<{ content: object }>(response.$ref) : response;
      for (const { examples } of Object.values(content as Record<string, { examples?: object }>)) {
        expect(Object.keys(examples ?? {}), `${path} ${status}`).not.toEqual([]);
      }
    }
  }
});

test.each(operationIds)("the described envelope of %s allows what the contract allows and nothing else", (id) => {
  const row = operationRow(id);
  if (row.results.length === 0) return;
  const check = checkOf({ $ref: `#/components/schemas/${id.charAt(0).toUpperCase()}${id.slice(1)}Envelope` });
  const data = row.data === undefined ? null : examplesOf(id)[row.success]?.value.data;
  const rest = { validationStatus: null, externalMessage: null };
  row.results.forEach((name, result) => {
    const isResultSuccess = name === row.success;
    expect(check.Check({ ...rest, isResultSuccess, result, data: isResultSuccess ? data : null }), name).toBe(true);
    expect(check.Check({ ...rest, isResultSuccess: !isResultSuccess, result, data: null }), name).toBe(false);
    if (!isResultSuccess && data !== null) expect(check.Check({ ...rest, isResultSuccess, result, data })).toBe(false);
  });
  expect(check.Check({ ...rest, isResultSuccess: false, result: row.results.length, data: null })).toBe(false);
  expect(Object.keys(examplesOf(id)).sort()).toEqual([...row.results].sort());
});

test.each([...operationIds, ...pushTopics])(
  "the described body of %s takes valid samples and refuses spoiled ones",
  (id) => {
    const names = [id, `push${id.charAt(0).toUpperCase()}${id.slice(1)}`];
    const found = operations.find(({ operation }) => names.includes(operation.operationId));
    const schema = found?.operation.requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return expect(validSamples(id).every(({ body }) => body === undefined)).toBe(true);
    const check = checkOf(schema);
    for (const sample of validSamples(id)) expect(check.Errors(sample.body), sample.name).toEqual([]);
    for (const sample of spoiledSamples(id)) expect(check.Check(sample.body), sample.name).toBe(false);
  },
);

test("the same input gives the same document, byte for byte", () => {
  const write = () => JSON.stringify(openApi({ version: "1.2.3", serverUrl: "/wms" }));
  expect(write()).toBe(write());
  expect(JSON.parse(write()).servers).toEqual([{ url: "/wms" }]);
});

test("two schemas under one name are found", () => {
  const registry = componentRegistry();
  registry.place({ title: "Order", type: "object", properties: { a: { type: "string" } } });
  registry.place({ title: "Order", type: ["object", "null"], properties: { a: { type: "string" } } });
  expect(() => registry.place({ title: "Order", type: "object", properties: {} })).toThrow("called Order");
});

test("the limits of what is received stand in the description", () => {
  const { number, requests } = resolve<{ properties: Record<string, { maxLength?: number; maxItems?: number }> }>(
    "#/components/schemas/PushedWorkOrder",
  ).properties;
  expect([number?.maxLength, requests?.maxItems]).toEqual([limits.identifierLength, limits.linesPerOrder]);
});

function resolve<T>(reference: string): T {
  const steps = reference.slice(2).split("/");
  // Only the caller knows what the reference leads to.
  return steps.reduce<unknown>((value, step) => Object(value)[step], document) as T;
}

/** Replaces references by what they refer to, so that a validator can check against the schema without the document. */
function checkOf(schema: object) {
  const writtenOut = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(writtenOut);
    if (typeof value !== "object" || value === null) return value;
    if ("$ref" in value && typeof value.$ref === "string") return writtenOut(resolve(value.$ref));
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, writtenOut(inner)]));
  };
  return Compile(Type.Unsafe(writtenOut(schema) as TSchema));
}

function examplesOf(id: string): Record<string, { value: { data: unknown } }> {
  const answer = operations.find(({ operation }) => operation.operationId === id)?.operation.responses["200"];
  return (Object(answer).content["application/json"] as { examples: Record<string, { value: { data: unknown } }> })
    .examples;
}
