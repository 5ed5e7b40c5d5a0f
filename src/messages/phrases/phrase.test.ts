import { expect, test } from "vitest";
import { languages } from "../languages.ts";
import { mapPhrase, phrase, phraseList, phraseOr, sayPhrase } from "./phrase.ts";
import { phraseTexts } from "./phrase-catalogue.ts";
import { recognise, recogniseNote } from "./recognise.ts";

const texts = Object.entries(phraseTexts);

test("all languages of a phrase use the same values", () => {
  const placeholders = (text: string) =>
    [...text.matchAll(/\{(\w+)[,}]/g)]
      .map(([, name]) => name)
      .sort()
      .join();
  const different = texts.flatMap(([key, byLanguage]) =>
    languages
      .filter((language) => placeholders(byLanguage[language]) !== placeholders(byLanguage.en))
      .map((language) => `${key} ${language}`),
  );
  expect(different).toEqual([]);
});

test("no phrase was left in English", () => {
  // Words that are the same in both languages.
  const same = ["fault.status nl", "fault.status pl"];
  const hasWords = (text: string) => /[a-z]{5}/i.test(text.replace(/\{[^{}]*\}/g, ""));
  const copies = texts.flatMap(([key, byLanguage]) =>
    languages
      .filter((language) => language !== "en" && byLanguage[language] === byLanguage.en && hasWords(byLanguage.en))
      .map((language) => `${key} ${language}`),
  );
  expect(copies.filter((one) => !same.includes(one))).toEqual([]);
});

test("a phrase within a phrase is said in the same language, and counts take their form", () => {
  const lines = phrase("event.lines", { count: 2 });
  const finished = phrase("event.containerFinished", {
    ...{ container: "T-1", lines, at: phrase("event.at", { place: "W-1" }) },
  });
  expect(sayPhrase(finished)).toBe("container T-1 finished at W-1: 2 lines");
  expect(sayPhrase(finished, "de")).toBe("Behälter T-1 fertig an W-1: 2 Positionen");
  expect(sayPhrase(finished, "pl")).toBe("pojemnik T-1 gotowy w W-1: 2 pozycje");
});

test("a value is said as it is, even if it looks like a placeholder", () => {
  const inner = phrase("event.at", { place: "{container} $&" });
  expect(sayPhrase(phrase("event.containerFinished", { container: "{at}", at: inner, lines: "" }))).toBe(
    "container {at} finished at {container} $&: ",
  );
});

test("a long list is cut, and every text within a phrase can be changed", () => {
  const moved = Array.from({ length: 50 }, (_, at) => phrase("event.moved", { container: `T-${at}`, place: "a" }));
  const all = phrase("list", { parts: phraseList(moved) });
  expect(sayPhrase(all)).toMatch(/T-19 moved to a, …$/);
  expect(sayPhrase(mapPhrase(all, () => "*"))).toMatch(/^container \* moved to \*, /);
});

test("a code that is not known is shown as it is", () => {
  expect([phraseOr("state.dead", "dead"), phraseOr("state.newer", "newer")]).toEqual([phrase("state.dead"), "newer"]);
});

test("every text about a fault or a refusal is found again in what was stored", () => {
  const values: Record<string, string> = { reason: "it is empty", status: "422", ms: "20000" };
  const alone = texts.filter(([key]) => /^(fault|house|refusal|check)\./.test(key));
  const wrong = alone.flatMap(([key, { en }]) => {
    const text = en.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? name.toUpperCase());
    const known = recognise(text);
    return known === null || sayPhrase(known) !== text || known.key !== key ? [`${key}: ${known?.key ?? "none"}`] : [];
  });
  // These phrases are only parts of others.
  const parts = ["fault.status", "fault.empty", "fault.isRefusal", "fault.hasMember", "refusal.or"];
  expect(wrong).toEqual(parts.map((key) => `${key}: none`));
});

test("what a mapping says about a value is found again, with its hint", () => {
  const filled = (text: string) => {
    const known = recogniseNote(text);
    return known === null ? null : sayPhrase(known, "de");
  };
  expect(filled('"many" is not a number; correct it in the source')).toBe(
    '"many" ist keine Zahl; in der Quelle korrigieren',
  );
  expect(filled('"1,5" is not a number; add number: { decimal: "," } or "."')).toBe(
    '"1,5" ist keine Zahl; number: { decimal: "," } oder "." ergänzen',
  );
  expect(filled("anything else")).toBeNull();
});

test("what an external system says is not taken for a text of the adapter", () => {
  for (const text of ["the bin is locked", "", "x".repeat(10_000), "status 5", '{"a":1}']) {
    expect(recognise(text)).toBeNull();
  }
});

test("the reason within an error is said in the reader's language, and the words of the external system stay", () => {
  const stored = 'the receiver\'s answer is not a success: status 422; its text: {"message":"the bin is locked"}';
  const known = recognise(stored);
  expect(known === null ? "" : sayPhrase(known, "de")).toBe(
    'die Antwort des Empfängers ist kein Erfolg: Status 422; ihr Text: {"message":"the bin is locked"}',
  );
});
