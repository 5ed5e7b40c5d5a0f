import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Envelope, envelopeHead, maxErrorMessages, resultNumber, validationStatus } from "./envelope.ts";
import { operationIds, operationRow } from "./operations.ts";

const rows = operationIds.map((id) => ({ id, row: operationRow(id) })).filter(({ row }) => row.results.length > 0);

describe.each(rows)("the envelope of $id", ({ row }) => {
  test.each(row.results.map((name, number) => ({ name, number })))("is whole for $name", ({ name, number }) => {
    const envelope = JSON.parse(`${envelopeHead(row, name)}null}`) as Envelope;
    expect(envelope).toEqual({
      isResultSuccess: name === row.success,
      result: number,
      validationStatus: null,
      externalMessage: null,
      data: null,
    });
    expect(envelope.isResultSuccess).toBe(number === resultNumber(row, row.success));
  });
});

test("an operator text of any characters reaches the platform unchanged", () => {
  const row = operationRow("findWorkOrderByCode");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const envelope = JSON.parse(`${envelopeHead(row, "WorkOrderDoesNotExist", text)}null}`) as Envelope;
      expect(envelope.externalMessage).toBe(text);
    }),
  );
});

test("validation texts are cut at a hundred and counted in full", () => {
  const texts = Array.from({ length: 250 }, (_, i) => `error ${i}`);
  const status = validationStatus(texts);
  expect(status.errorMessages).toEqual(texts.slice(0, maxErrorMessages));
  expect(status).toMatchObject({ isValid: false, errorCount: 250 });
  expect(validationStatus(["one of many"], 7).errorCount).toBe(7);
  const row = operationRow("confirmStep");
  const envelope = JSON.parse(`${envelopeHead(row, "InvalidInput", null, status)}null}`) as Envelope;
  expect(envelope.validationStatus).toEqual(status);
});

test("a result that the row does not list is a fault of the program, never some number", () => {
  expect(() => envelopeHead(operationRow("getExportColumns"), "InvalidInput")).toThrow("knows no result");
});
