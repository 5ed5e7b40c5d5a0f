import fc from "fast-check";
import { expect, test } from "vitest";
import { lineKey, type ServedLine } from "../../ledger/line-ref.ts";
import {
  fullName,
  hasSameLines,
  linesLatestFirst,
  namesInAll,
  reuseLines,
  type ServedContent,
  versionsByName,
} from "./served-content.ts";

const line = fc.record({
  externalId: fc.constantFrom(null, null, "1", "2"),
  itemNumber: fc.constantFrom("A", "B"),
  lot: fc.constantFrom(null, "L"),
  unit: fc.constantFrom(0, 4),
  amount: fc.integer({ min: 1, max: 3 }),
});

/** Contents as they are kept: each one has the lines of the one before where they are equal. */
const contents = fc.array(fc.array(line, { maxLength: 6 }), { maxLength: 6 }).map((all) => {
  const kept: ServedContent[] = [];
  for (const content of all) kept.push(reuseLines(content, kept.at(-1)));
  return kept;
});

/** What is left of a list without elements that equal the one before. */
const withoutRepeats = (all: readonly ServedContent[]) =>
  all.filter((lines, index) => JSON.stringify(lines) !== JSON.stringify(all[index - 1]));

const byName = (all: readonly ServedContent[], nameOf: (one: ServedLine) => string) => {
  const names = new Set(all.flat().map(nameOf));
  return new Map(
    [...names].map((name) => {
      const own = all.map((content) => content.filter((one) => nameOf(one) === name));
      return [name, withoutRepeats(own.filter(({ length }) => length > 0))];
    }),
  );
};

test("a content with the lines of another one is equal to what it was", () => {
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (content, before) => {
      const reused = reuseLines(content, before);
      expect(reused).toEqual(content);
      if (JSON.stringify(content) === JSON.stringify(before)) expect(hasSameLines(reused, before)).toBe(true);
    }),
  );
});

test("lines that moved because another one was added are the same objects", () => {
  const before = ["A", "B", "C"].map((externalId) => ({
    ...{ externalId, itemNumber: externalId, lot: null, unit: 0, amount: 1 },
  }));
  const added = { externalId: "0", itemNumber: "0", lot: null, unit: 0, amount: 1 };
  const after = reuseLines([added, ...before.map((one) => ({ ...one }))], before);
  expect(after.slice(1).every((one, place) => one === before[place])).toBe(true);
});

test("of lines with the same names, the one served last comes first", () => {
  fc.assert(
    fc.property(contents, (all) => {
      const latest = new Map(all.flat().map((one) => [fullName(one), one]));
      const found = new Map<string, ServedLine>();
      for (const one of linesLatestFirst(all)) if (!found.has(fullName(one))) found.set(fullName(one), one);
      expect(found).toEqual(latest);
    }),
  );
});

test("the versions of a line are those of all contents that have it", () => {
  fc.assert(
    fc.property(contents, (all) => {
      for (const nameOf of [lineKey, ({ itemNumber }: ServedLine) => itemNumber ?? ""]) {
        const found = new Map([...versionsByName(all, nameOf)].map(([name, own]) => [name, withoutRepeats(own)]));
        expect(found).toEqual(byName(all, nameOf));
      }
    }),
  );
});

test("a name is in all contents if none lacks it", () => {
  fc.assert(
    fc.property(contents, (all) => {
      const names = new Set(all.flat().map(fullName));
      const inAll = [...names].filter((name) => all.every((content) => content.some((own) => fullName(own) === name)));
      expect([...namesInAll(all)].sort()).toEqual(inAll.sort());
    }),
  );
});
