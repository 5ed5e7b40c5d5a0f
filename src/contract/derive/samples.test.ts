import { describe, expect, test } from "vitest";
import { operationIds, operationRow } from "../operations.ts";
import { pushRow, pushTopics } from "../pushes.ts";
import { validator } from "../validate/validator.ts";
import { dataSample, type SampleId, type SpoiledSample, spoiledSamples, validSamples } from "./samples.ts";

describe.each(operationIds)("samples of %s", (id) => {
  const row = operationRow(id);
  const schema = row.body ?? row.query ?? row.params;

  test("valid ones pass the check, also after their members were renamed", () => {
    expect(validSamples(id).length).toBeGreaterThan(0);
    if (schema === undefined) return;
    const { isValid, canonical } = validator(schema);
    for (const sample of validSamples(id)) {
      const input = structuredClone(sample.body ?? sample.query ?? sample.params);
      expect(isValid(input), sample.name).toBe(true);
      expect(canonical(input)).toEqual(sample.body ?? sample.query ?? sample.params);
    }
  });

  test("invalid ones fail at the declared member and nowhere else", () => {
    if (row.body === undefined && row.query === undefined) return expect(spoiledSamples(id)).toEqual([]);
    expect(spoiledSamples(id).length).toBeGreaterThan(0);
    const { problems } = validator(schema ?? {});
    for (const sample of spoiledSamples(id)) {
      const fields = problems(sample.query ?? sample.body).map(({ field }) => field);
      expect(new Set(fields), sample.name).toEqual(new Set([sample.field]));
    }
  });

  test("the data of an answer fits its schema, however full it is", () => {
    if (row.data === undefined) return expect(dataSample(id)).toBeNull();
    const { problems } = validator(row.data);
    for (const fullness of ["minimal", "full", "nulls", "unknown"] as const) {
      expect(problems(dataSample(id, fullness)), fullness).toEqual([]);
    }
  });
});

describe.each(pushTopics)("samples of the push %s", (topic) => {
  const { isValid, problems } = validator(pushRow(topic).element);
  const elementsOf = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body]);

  test("valid ones pass the check", () => {
    for (const { name, body } of validSamples(topic)) expect(elementsOf(body).every(isValid), name).toBe(true);
  });

  test("invalid ones fail at the declared member of the declared element", () => {
    for (const { name, field, body } of spoiledSamples(topic)) {
      const isList = Array.isArray(body);
      const fields = elementsOf(body).flatMap((element, i) =>
        problems(element).map((problem) => (isList ? `[${i}]${problem.field && `.${problem.field}`}` : problem.field)),
      );
      expect(new Set(fields), name).toEqual(new Set([field]));
    }
  });
});

test("every member of a body is spoiled in its type, and every required one is left out once", () => {
  const names = spoiledSamples("confirmCartStep").map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "body: null",
      "body: a list",
      "workOrderNumber: is missing",
      "workOrderNumber: null",
      "workOrderNumber: an empty text",
      "requestId: a fraction",
      "requestType: a number of no meaning",
      "amountToConfirmSummary: is missing",
      "amountToConfirmSummary.containersBreakdown[0].amountToConfirmInBaseUnitOfMeasure: too small",
    ]),
  );
});

test("names are unique and samples are the same on every call", () => {
  const ids: SampleId[] = [...operationIds, ...pushTopics];
  for (const id of ids) {
    const spoiled: readonly SpoiledSample[] = spoiledSamples(id);
    expect(new Set(spoiled.map(({ name }) => name)).size).toBe(spoiled.length);
    expect(JSON.stringify([validSamples(id), spoiledSamples(id)])).toBe(JSON.stringify([validSamples(id), spoiled]));
  }
});

test("an uploaded sample file holds what the answer will hold", () => {
  for (const id of ["parseWorkOrderFile", "parseItemFile"] as const) {
    const { fileContent } = Object(validSamples(id).find(({ name }) => name === "full")?.body) as {
      fileContent: string;
    };
    expect(JSON.parse(Buffer.from(fileContent, "base64").toString())).toEqual(dataSample(id));
  }
});
