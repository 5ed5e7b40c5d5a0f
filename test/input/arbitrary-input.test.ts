import fc from "fast-check";
import { expect, test } from "vitest";
import { operationIds, operationRow } from "../../src/contract/operations.ts";
import { pushRow, pushTopics } from "../../src/contract/pushes.ts";
import { validator } from "../../src/contract/validate/validator.ts";
import { arbitraryInput, arbitraryMangledBody } from "./arbitrary-input.ts";

test.each(operationIds)("any input made for %s is valid", (id) => {
  const { params, query, body } = operationRow(id);
  const checks = { params, query, body };
  const validators = Object.entries(checks).flatMap(([place, schema]) =>
    schema === undefined ? [] : [{ place, check: validator(schema) }],
  );
  fc.assert(
    fc.property(arbitraryInput(id), (input) => {
      for (const { place, check } of validators) {
        expect(check.problems(Object.entries(input).find(([name]) => name === place)?.[1])).toEqual([]);
      }
    }),
    { numRuns: 50 },
  );
});

test.each(pushTopics)("any push made for %s is valid", (topic) => {
  const { problems } = validator(pushRow(topic).element);
  fc.assert(
    fc.property(arbitraryInput(topic), ({ body }) => {
      for (const element of Array.isArray(body) ? body : [body]) expect(problems(element)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test("mangled bodies are mostly refused, and every refusal names a field", () => {
  const { isValid, problems } = validator(operationRow("confirmStep").body ?? {});
  const bodies = fc.sample(arbitraryMangledBody("confirmStep"), { numRuns: 300, seed: 7 });
  const refused = bodies.filter((body) => !isValid(body));
  expect(refused.length).toBeGreaterThan(100);
  for (const body of refused) expect(problems(body).length).toBeGreaterThan(0);
});
