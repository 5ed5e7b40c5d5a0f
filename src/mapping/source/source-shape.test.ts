import { describe, expect, test } from "vitest";
import { type EventId, operationRow } from "../../contract/operations.ts";
import { compileMapping, MappingError } from "../compile-mapping.ts";
import { elementShape, shapeOfSchema } from "./source-shape.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };

/** The problem of a rule that reads an event; null if there is none. */
function problemOf(id: EventId, rule: unknown): string | null {
  const source = elementShape(shapeOfSchema(operationRow(id).body));
  try {
    compileMapping({ a: rule }, { dates, source });
    return null;
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return error.message;
  }
}

describe("a rule that reads an event", () => {
  test.each([
    "workOrderNumber",
    "amountToConfirmPickingSummary.locationName",
    "amountToConfirmPickingSummary.containersBreakdown[0].amountToConfirmInBaseUnitOfMeasure",
    '["lotNumber"]',
    'updateWorkOrderRequest["whatever it is"].deep',
    "= $sum(amountToConfirmPickingSummary.containersBreakdown.amountToConfirmInBaseUnitOfMeasure)",
    "= amountToConfirmPickingSummary.containersBreakdown[containerCode = 'A'].itemUnitOfMeasure",
    "= ($x := 1; $lookup($, 'lotNumber'))",
    "= { 'n': workOrderNumber }",
    "= itemNames^(>name).languageIsoCode",
    "= $exists(userEmail) ? userEmail : storageName",
    { from: ["workOrderExternalIdentifier", "workOrderNumber"] },
    { join: ["workOrderNumber", "itemNumber"] },
    {
      each: "amountToConfirmPickingSummary.containersBreakdown",
      map: { code: "containerCode", order: "^.workOrderNumber", all: "= $parent.workOrderNumber & $root.itemNumber" },
    },
  ])("may read %j", (rule) => {
    expect(problemOf("confirmStep", rule)).toBeNull();
  });

  test.each([
    ["amountToConfirm", /did you mean amountToConfirmPickingSummary or amountToConfirmPlacingInBaseUnitOfMeasure\?/],
    ["workorderNumber", /did you mean workOrderNumber\?/],
    ["containerCode", /did you mean amountToConfirmPickingSummary\.containersBreakdown\[\]\.containerCode\?/],
    ["amountToConfirmPickingSummary.location", /did you mean locationName\?/],
    ["amountToConfirmPickingSummary.containersBreakdown.containerCode", /is a list: use each/],
    ["workOrderNumber.x", /workOrderNumber: is a single value/],
    ["userEmail[0]", /userEmail: is not a list/],
    ["nothing", /in quotes: \["nothing"\]/],
    ["= $sum(amountToConfirm)", /column 8.*did you mean amountToConfirmPickingSummary/],
    ["= amountToConfirmPickingSummary.containersBreakdown[code = 'A'].x", /no code here/],
    ["= { 'n': number }", /no number here/],
    ["= workOrderNumber & itemNumbr", /did you mean itemNumber\?/],
    [{ from: ["workOrderNumber", "externalId"] }, /no externalId here/],
    [
      { each: "containersBreakdown", map: { code: "containerCode" } },
      /did you mean amountToConfirmPickingSummary\.containers/,
    ],
    [
      { each: "amountToConfirmPickingSummary.containersBreakdown", map: { code: "container", order: "^.order" } },
      /did you mean containerCode.*no order here/s,
    ],
    [{ each: "itemNames", map: { all: "= $root.orderNumber" } }, /no orderNumber here/],
  ])("may not read %j", (rule, words) => {
    expect(problemOf("confirmStep", rule)).toMatch(words);
  });
});

test("what nobody describes may be read by any name", () => {
  expect(() => compileMapping({ number: "Any.Thing[0].x" }, { dates })).not.toThrow();
});
