import fc from "fast-check";
import { expect, test } from "vitest";
import { maskEmail, maskingFor, maskPersonal, maskPersonalInTurns } from "./mask-personal.ts";

test("of an address its first letter and its domain stay", () => {
  expect(maskEmail("jo.doe@example.com")).toBe("j***@example.com");
  expect(maskEmail("jo")).toBe("j***");
  expect(maskEmail("")).toBe("***");
});

test("only operators' addresses are changed, at any depth and however the name is written", () => {
  const json = `{"UserEmail" : "jo@x.org", "a": [{"\\u0075serEmail":"al\\u0069@x.org","n":9007199254740993}], "userEmail": null, "b":"userEmail"}`;
  expect(maskPersonal(json)).toBe(
    `{"UserEmail" : "j***@x.org", "a": [{"\\u0075serEmail":"a***@x.org","n":9007199254740993}], "userEmail": null, "b":"userEmail"}`,
  );
});

test("everything else of any JSON text stays as it is, and no address is left", () => {
  const secret = "zoe.secret@example.com";
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue(),
      fc.array(tie("json")),
      fc.record({ userEmail: fc.constant(secret), other: tie("json") }),
    ),
  }));
  fc.assert(
    fc.property(json, fc.constantFrom("", " "), (value, space) => {
      const masked = maskPersonal(JSON.stringify(value, null, space));
      expect(masked).not.toContain(secret);
      const expected = JSON.stringify(
        value,
        (name, member) => (name === "userEmail" ? (typeof member === "string" ? maskEmail(member) : member) : member),
        space,
      );
      expect(masked).toBe(expected);
    }),
  );
});

test("an answer that is cut at any position is still masked", () => {
  const json = '{"a":{"userEmail":"zoe.secret@example.com"}}';
  for (let end = 0; end < json.length; end++) expect(maskPersonal(json.slice(0, end))).not.toContain("secret");
});

test("mail addresses are masked in any text, in addresses of the web as well; what only looks similar stays", () => {
  expect(maskPersonal("nobody is called jo@example.com. POST /x?by=jo%40example.com&n=3@4")).toBe(
    "nobody is called j***@example.com. POST /x?by=j***%40example.com&n=3@4",
  );
});

test("an operator without a mail address is masked wherever the event was sent and answered", async () => {
  const mask = await maskingFor('{"userEmail":"jo doe","n":1}');
  expect(mask('{"picker":"jo doe"} /x?by=jo%20doe')).toBe('{"picker":"j***"} /x?by=j***');
  expect((await maskingFor('{"userEmail":"jo"}'))("a major order")).toBe("a major order");
  expect((await maskingFor("{}"))("anything")).toBe("anything");
});

test.each([
  ["quotes", '\\"'],
  ["backslashes", "\\\\"],
  ["escapes", "\\u00e4"],
  ["addresses", "a@b.example "],
  ["letters", "ab"],
])("other requests run while a text of nothing but %s is masked", async (_what, unit) => {
  const note = unit.repeat(300_000 / unit.length);
  const text = `{"note":"${note}","userEmail":"jo@example.com","more":"${note}"}`;
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const masked = await maskPersonalInTurns(text);
  clearImmediate(next);
  expect(masked === maskPersonal(text)).toBe(true);
  expect(masked.includes('"userEmail":"j***@example.com"')).toBe(true);
  expect(turns).toBeGreaterThan(15);
});
