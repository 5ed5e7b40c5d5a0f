import { expect, test } from "vitest";
import { markedLines, pretty, recordLines, withoutReasons } from "../../../console/parts/quarantine/record-lines.ts";
import { workedMs } from "../../support/longest-stall.ts";

const json =
  '{"No":12345678901234567890,"a.b":"x","Lines":[{"Qty":"many"},{"Qty":1,"Tags":[]}],"Nested":[[1,2]],"e":{}}';

test("a record is read in lines, each with the place of its member", () => {
  const lines = recordLines(json);
  expect(lines.map(({ text }) => text).join("\n")).toBe(
    JSON.stringify(JSON.parse(json), null, 2).replace(/"No": \d+/, '"No": 12345678901234567890'),
  );
  const places = lines.flatMap(({ path }) => (path === null ? [] : [path]));
  expect(places).toEqual([
    ...["", "No", '["a.b"]', "Lines", "Lines[0]", "Lines[0].Qty", "Lines[1]", "Lines[1].Qty", "Lines[1].Tags"],
    ...["Nested", "Nested[0]", "Nested[0][0]", "Nested[0][1]", "e"],
  ]);
});

test("a record that is cut anywhere is read up to there", () => {
  const whole = recordLines(json);
  for (let length = 1; length < json.length; length++) {
    const lines = recordLines(json.slice(0, length));
    expect(lines.slice(0, -2)).toEqual(whole.slice(0, Math.max(0, lines.length - 2)));
  }
});

test("a note stands beside its member, that of a missing member beside what should have it", () => {
  const notes = [
    { place: "Lines[0].Qty", note: "not a number" },
    { place: "Lines[1].Item", note: "is missing" },
    { place: "DueDate", note: "is missing, too" },
  ];
  const noted = markedLines(recordLines(json), notes).filter((line) => line.notes.length > 0);
  expect(noted.map(({ path, notes: own }) => [path, ...own])).toEqual([
    ["", "is missing, too"],
    ["Lines[0].Qty", "not a number"],
    ["Lines[1]", "is missing"],
  ]);
  // What is not there may stand in the part that was cut.
  const ofPart = markedLines(recordLines(json), notes, { isCut: true });
  expect(ofPart.flatMap((line) => line.notes)).toEqual(["not a number"]);
});

test("the reason that the mapping put into the place of a member is left to the note", () => {
  const text = '{"number":{"problem":"no text"},"description":{"problem":"of the customer"},"due":1}';
  const lines = withoutReasons(markedLines(recordLines(text), [{ place: "number", note: "no text" }]));
  expect(lines.map((line) => line.text)).toEqual([
    ...["{", '  "number": –,', '  "description": {', '    "problem": "of the customer"', "  },", '  "due": 1', "}"],
  ]);
});

test("only JSON is written in lines, and what it says stays the same", () => {
  expect(pretty(" [ ] ")).toBe("[]");
  expect(pretty('"a, {b}: [c]"')).toBe('"a, {b}: [c]"');
  expect(pretty('{ "a" : [ { } , 1.50 ] }')).toBe('{\n  "a": [\n    {},\n    1.50\n  ]\n}');
  expect(pretty("a=1, b={2}")).toBe("a=1, b={2}");
  expect(pretty('{"cut": ')).toBe('{"cut": ');
});

test("the time for a long order grows with its length, not with its square", () => {
  const ofLines = (count: number) =>
    JSON.stringify({ itemRequests: Array.from({ length: count }, (_, id) => ({ id, itemNumber: `A-${id}` })) });
  const times = 32;
  const [short, long] = [ofLines(500), ofLines(500 * times)];
  /** Of this thread only: the tests of other files run in the same process. */
  const spentMs = (run: () => unknown): number => {
    const before = workedMs();
    run();
    return workedMs() - before;
  };
  const shorts = () => {
    for (let nth = 0; nth < times; nth++) pretty(short);
  };
  shorts();
  // Many short orders have as many lines as the long one. With the square, the long one would take 32 times as long.
  // In turns, because the processor is not always equally fast; a pause of the runtime falls into some runs only.
  const runs = Array.from({ length: 5 }, () => ({ shortMs: spentMs(shorts), longMs: spentMs(() => pretty(long)) }));
  const [shortMs, longMs] = [Math.min(...runs.map((run) => run.shortMs)), Math.min(...runs.map((run) => run.longMs))];
  expect(longMs).toBeLessThan(8 * Math.max(1, shortMs));
});
