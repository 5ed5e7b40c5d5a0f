import { expect, test } from "vitest";
import { validateOptions } from "./connector.ts";

const problems = (map: Readonly<Record<string, unknown>>) =>
  validateOptions({ location: "/exchange", out: { relocateCartContainers: { map } } }).map(({ text }) => text);

test("what the file of an event is made of is checked against the contract when the options are loaded", () => {
  expect(problems({ box: "data.containerCode", order: "orderNumber", id: "entryId" })).toEqual([]);
  expect(problems({ box: "data.containerCod" })).toEqual([expect.stringContaining("did you mean containerCode?")]);
  expect(problems({ box: "containerCode" })).toEqual([expect.stringContaining("did you mean data.containerCode?")]);
});
