import { expect, test } from "vitest";
import { atOnce } from "../../../test/support/floor/at-once.ts";
import { embeddedStore } from "../../../test/support/floor/embedded-store.ts";
import { longTextsIn } from "../../../test/support/floor/long-texts.ts";
import { readSizes } from "../../../test/support/floor/read-sizes.ts";
import type { PushedItem } from "../../contract/pushes.ts";
import { say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJson, ReadyJsonSlices, refuse } from "../../operation/outcome.ts";
import { pushItem } from "../pushes/push-work-order.ts";
import { readyAnswers } from "./find-work-order-by-code.ts";
import { getItem, getItemImage } from "./get-item.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]).toString("base64");
const gif = Buffer.from("GIF89a…").toString("base64");

function warehouse(...given: PushedItem[]) {
  const { writer, reader } = embeddedStore();
  const push = pushItem(writer);
  for (const item of given) push(item);
  const answers = readyAnswers<Outcome<"getItem">>({ maxCount: 10, maxBytes: 10_000 });
  const longTexts = longTextsIn(reader);
  const item = getItem({ database: reader, answers, longTexts, isSound: () => true });
  const image = getItemImage({ database: reader, longTexts });
  return {
    writer,
    push,
    answers,
    item: (number: string) => atOnce(item({ number })),
    image: (number: string) => atOnce(image({ number })),
  };
}

const read = (outcome: ReturnType<ReturnType<typeof warehouse>["item"]>) =>
  outcome.ok && outcome.data instanceof ReadyJson ? JSON.parse(outcome.data.text) : outcome;

test("an item comes back in the contract's form: unit written, nulls and image left out, unknown members kept", () => {
  const { item } = warehouse({ number: "A-1", name: "Bolt", weight: null, image: png, colour: "red" } as PushedItem);
  expect(read(item("A-1"))).toEqual({ number: "A-1", name: "Bolt", unitOfMeasure: 0, colour: "red" });
});

test("an item is found by its exact number first, then without regard to letter case and blanks around it", () => {
  const { item } = warehouse({ number: "ä-1", name: "small" }, { number: "Ä-1", name: "large" }, { number: "0" });
  expect(read(item("Ä-1")).name).toBe("large");
  expect(read(item("ä-1")).name).toBe("small");
  expect(read(item(" 0 ")).number).toBe("0");
});

test.each([["a/b"], ["100%"], ["a+b"], ["File"], [".."], ["日本"], ["a b"]])(
  "an item may have the number %s",
  (number) => {
    const { item } = warehouse({ number });
    expect(read(item(number)).number).toBe(number);
  },
);

test("an unknown item does not exist, and the text says so", () => {
  expect(warehouse().item("A-1")).toEqual(refuse("ItemDoesNotExist", say("items.unknown", { number: "A-1" })));
});

test("an item is answered from memory until the store was touched", () => {
  const { push, answers, item } = warehouse({ number: "A-1", name: "old" });
  expect(item("A-1")).toBe(item("A-1"));
  expect(push({ number: "A-1", name: "new" })).toBe(true);
  answers.drop();
  expect(read(item("A-1")).name).toBe("new");
});

test("an image is plain Base64 of the bytes that were pushed, found like its item", () => {
  const { image } = warehouse({ number: "A-1", image: png });
  expect(image("A-1")).toEqual(ok(new ReadyJson(`"${png}"`)));
  expect(image("a-1")).toEqual(ok(new ReadyJson(`"${png}"`)));
});

test("an unknown item and an item without image have no image", () => {
  const { image } = warehouse({ number: "A-1" });
  expect(image("A-1")).toEqual(refuse("ImageDoesNotExist", say("items.no-image", { number: "A-1" })));
  expect(image("A-2")).toEqual(refuse("ImageDoesNotExist", say("items.unknown", { number: "A-2" })));
});

test("an item pushed again without an image keeps the one it has, with another it gets that", () => {
  const { writer, push, image } = warehouse({ number: "A-1", image: png });
  push({ number: "A-1", name: "Bolt", image: null });
  expect(image("A-1")).toEqual(ok(new ReadyJson(`"${png}"`)));
  push({ number: "A-1", image: gif });
  expect(image("A-1")).toEqual(ok(new ReadyJson(`"${gif}"`)));
  expect(writer.statement("SELECT mime FROM item_image").all()).toEqual([{ mime: "image/gif" }]);
});

test("the same item again changes nothing", () => {
  const { push } = warehouse({ number: "A-1", name: "Bolt" });
  expect(push({ number: "A-1", name: "Bolt" })).toBe(false);
});

test.each([["data:image/png;base64,AAAA"], ["AAAA"], ["?"]])(
  "bytes that are no image (%s) are never stored",
  (image) => {
    const { push, image: query } = warehouse({ number: "A-1" });
    expect(() => push({ number: "A-1", image })).toThrow(/no image/);
    expect(query("A-1").ok).toBe(false);
  },
);

test("long items and images are not read in this thread, and their answers are the same", async () => {
  const { writer, reader } = embeddedStore();
  const bytes = Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(3_000_001, 7)]);
  const description = "ü".repeat(1_000_000);
  pushItem(writer)({ number: "A-1", description, image: bytes.toString("base64") } as PushedItem);
  const watched = readSizes(reader);
  const answers = readyAnswers<Outcome<"getItem">>({ maxCount: 10, maxBytes: 10_000 });
  const needs = { database: watched.database, answers, longTexts: longTextsIn(reader) };
  const textOf = async (outcome: Outcome<"getItem"> | Outcome<"getItemImage">) => {
    if (!outcome.ok || !(outcome.data instanceof ReadyJsonSlices)) throw new Error("slices were expected");
    return (await outcome.data.bytes()).toString();
  };
  const item = { number: "A-1", description, unitOfMeasure: 0 };
  expect(JSON.parse(await textOf(await getItem({ ...needs, isSound: () => true })({ number: "a-1" })))).toEqual(item);
  expect(await getItem({ ...needs, isSound: () => false })({ number: "A-1" })).toEqual(ok(item));
  const image = await textOf(await getItemImage(needs)({ number: "a-1" }));
  expect(image === JSON.stringify(bytes.toString("base64"))).toBe(true);
  expect(watched.largest()).toBeLessThan(2 ** 20);
});
