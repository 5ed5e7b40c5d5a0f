import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { connectors } from "../../connectors/catalogue.ts";
import { presets } from "../../presets/catalogue.ts";
import { languages, type Texts } from "../languages.ts";
import { connectorProblemTexts } from "./connector-problem-texts.ts";
import { descriptionTexts } from "./description-texts.ts";
import { fileProblemTexts } from "./file-problem-texts.ts";
import { hintTexts } from "./hint-texts.ts";
import { optionTexts } from "./options/option-texts.ts";
import { translateDescription, translateHint, translateProblem } from "./translate.ts";

const all = [...fileProblemTexts, ...connectorProblemTexts, ...hintTexts, ...descriptionTexts, ...optionTexts];
const source = resolve(import.meta.dirname, "../..");

test("every text about the configuration has the same values in all languages", () => {
  const valuesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  const different = all.flatMap((texts) =>
    languages.filter((one) => valuesOf(texts[one]).join() !== valuesOf(texts.en).join() || texts[one].trim() === ""),
  );
  expect(different).toEqual([]);
});

test("whatever can be connected is described in every language", () => {
  const kinds = connectors.filter((one) => !("projectionModule" in one)).map(({ summary }) => summary);
  const ofPresets = presets.flatMap(({ summary, requiredOptions }) => [
    summary,
    ...requiredOptions.map((one) => one.description),
  ]);
  const missing = [...kinds, ...ofPresets].filter((text) => !descriptionTexts.some(({ en }) => en === text));
  expect(missing).toEqual([]);
  const used = new Set([...kinds, ...ofPresets, ...presets.map(({ title }) => title)]);
  expect(descriptionTexts.filter(({ en }) => !used.has(en)).map(({ en }) => en)).toEqual([]);
});

test("every English text about a problem is one that the checks write", () => {
  const files = ["config", "connectors", "mapping"].flatMap((room) =>
    readdirSync(join(source, room), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
      .map((name) => readFileSync(join(source, room, name), "utf8").replaceAll("\\`", "`")),
  );
  const written = files.join("\n");
  const isWritten = ({ en }: Texts) =>
    en
      .split(/\{\w+\}/)
      .flatMap((piece) => piece.split(/(?<=\.) (?=[A-Z])|(?=, such as)/))
      .map((piece) => piece.trim().replace(/\.$/, ""))
      .filter((piece) => piece.length > 3 && !["It offers no answers", "It offers no events"].includes(piece))
      .every((piece) => written.includes(piece));
  const gone = [...fileProblemTexts, ...connectorProblemTexts, ...hintTexts].filter((one) => !isWritten(one));
  expect(gone.map(({ en }) => en)).toEqual([]);
});

test("a problem keeps its place and its values in another language", () => {
  expect(translateProblem('serve.items: there is no connector named "erb"', "de")).toEqual({
    ...{ text: 'serve.items: es gibt keine Verbindung "erb"', language: "de" },
  });
  expect(translateHint("Did you mean erp? There are erp, embedded, none.", "fr").text).toBe(
    "Vouliez-vous dire erp ? Il y a erp, embedded, none.",
  );
  // A hint may be the description of the option.
  expect(translateHint("Headers of every request.", "de")).toEqual({
    ...{ text: "Kopfzeilen jeder Anfrage.", language: "de" },
  });
  expect(translateProblem("timeZone: {name} is used twice", "nl").text).toBe(
    "timeZone: {name} wordt twee keer gebruikt",
  );
});

test("what nobody has translated is in English, and says so", () => {
  expect(translateProblem("something new", "pl")).toEqual({ text: "something new", language: "en" });
  expect(translateDescription("Something new.", "pl")).toBe("Something new.");
});
