import { expect, test } from "vitest";
import { localise } from "./localise.ts";
import { type Message, say } from "./message.ts";

test("a text is written in the reader's language with its values", () => {
  const text = say("input.whole-number", { field: "requests[0].requestedAmount", found: "1.5" });
  expect(localise(text, "en")).toBe("requests[0].requestedAmount: must be a whole number, not 1.5");
  expect(localise(text, "de")).toBe("requests[0].requestedAmount: muss eine ganze Zahl sein, nicht 1.5");
  expect(localise(text, "pl")).toBe("requests[0].requestedAmount: wymagana liczba całkowita, a nie 1.5");
});

test("the text of the external system is passed on unchanged", () => {
  expect(localise("Lot {gesperrt}, <b>bitte</b> prüfen", "fr")).toBe("Lot {gesperrt}, <b>bitte</b> prüfen");
});

test("an empty field stands for the whole body", () => {
  expect(localise(say("input.object", { field: "", found: "[1]" }), "en")).toBe(
    "Request body: must be a JSON object, not [1]",
  );
});

test.each([
  ["fr", /# événement attend et sera envoyé à/, /# événements attendent et seront envoyés à/],
  ["es", /# evento espera y se enviará cuando/, /# eventos esperan y se enviarán cuando/],
  ["nl", /# gebeurtenis wacht en gaat uit/, /# gebeurtenissen wachten en gaan uit/],
  ["pl", /czeka # zdarzenie i wyjdzie/, /czekają # zdarzenia i wyjdą/],
] as const)("in %s every verb agrees with the number", (language, one, several) => {
  const withCount = (count: number) => localise(say("alarms.circuit", { target: "erp", count }), language);
  expect(withCount(1).replace("1", "#")).toMatch(one);
  expect(withCount(3).replace("3", "#")).toMatch(several);
});

test("the found value is left out if it is not known", () => {
  expect(localise(say("input.number", { field: "weight" }), "en")).toBe("weight: must be a number");
});

test("values are never read as message syntax", () => {
  const text = say("input.text", { field: "{found}", found: "{x, plural, other {<b>#'}}" });
  expect(localise(text, "en")).toBe("{found}: must be text in quotes, not {x, plural, other {<b>#'}}");
});

test("a missing value leaves a gap and not an exception", () => {
  expect(localise(say("general.internal"), "en")).toContain("the reference .");
});

test("a key that a later version dropped is shown as it is", () => {
  // Messages in the journal are older than the current catalogue.
  const old = { key: "input.long-gone", values: {} } as unknown as Message;
  expect(localise(old, "de")).toBe("input.long-gone");
});
