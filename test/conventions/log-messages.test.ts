import { expect, test } from "vitest";
import { readCode } from "../../scripts/code/read-code.ts";
import { logCatalogue, logLine } from "../../src/messages/log/log-catalogue.ts";

/** Passes on what others log. */
const passesOn = new Set(["kit/log.ts", "app/console-output/open-log.ts", "app/log/adapter-log.ts"]);
/** A template that users copy; its lines are theirs. */
const ofUsers = /^connectors\/_template\//;

/** Every call of a log: the room of its file, and its last argument as it is written. */
const calls = readCode()
  .filter(({ path }) => !passesOn.has(path) && !ofUsers.test(path))
  .flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:log|own|named)\??\.(?:debug|info|warn|error)\(/g)].map(({ index, 0: start }) => {
      const given = argumentsFrom(text, index + start.length);
      return { path, room: roomOf(path), texts: textsIn(given.at(-1) ?? ""), shown: given.join(", ") };
    }),
  );

function roomOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "engine" && !second.endsWith(".ts") ? second : first;
}

/** The arguments of a call, as they are written. */
function argumentsFrom(text: string, from: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (`"'\``.includes(letter)) {
      for (at++; text[at] !== letter; at++) if (text[at] === "\\") at++;
    } else if ("([{".includes(letter)) depth++;
    else if (letter === "," && depth === 0) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    } else if (")]}".includes(letter) && --depth < 0) {
      return [...found, text.slice(start, at).trim()].filter((one) => one !== "");
    }
  }
  return found;
}

/** A literal, or the two of a choice; null if it is anything else. */
function textsIn(argument: string): string[] | null {
  const choice = /^[^"]*\? ("[^"]*") : ("[^"]*")$/s.exec(argument.replace(/^[\w.]+ === "[^"]*" /, ""));
  const literals = choice === null ? [argument] : [choice[1] ?? "", choice[2] ?? ""];
  return literals.every((one) => /^"[^"]*"$/.test(one)) ? literals.map((one) => one.slice(1, -1)) : null;
}

test("every message that is logged stands in the catalogue, with the room that logs it", () => {
  expect(calls.length).toBeGreaterThan(100);
  const wrong = calls.filter(({ texts, room }) => texts === null || texts.some((text) => logLine(text)?.room !== room));
  expect(wrong.map(({ path, shown }) => `${path}: ${shown}`)).toEqual([]);
});

test("every message of the catalogue is logged somewhere", () => {
  const logged = new Set(calls.flatMap(({ texts }) => texts ?? []));
  expect(logCatalogue.filter(({ text }) => !logged.has(text)).map(({ code }) => code)).toEqual([]);
});

test("every code and every message is there once, and each says what to do", () => {
  expect(new Set(logCatalogue.map(({ code }) => code)).size).toBe(logCatalogue.length);
  expect(new Set(logCatalogue.map(({ text }) => text)).size).toBe(logCatalogue.length);
  for (const { code, todo } of logCatalogue) {
    expect(code).toMatch(/^CD-\d{3}$/);
    expect(todo).toMatch(/\.$/);
  }
});
