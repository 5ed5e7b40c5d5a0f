import { identifiersIn, type SourceFile, wordsOf } from "./read-code.ts";

/** Words that a newcomer had to learn, and the usual words that replaced them. */
export const retiredWords: Readonly<Record<string, string>> = {
  ask: "query",
  asks: "queries",
  question: "query",
  questions: "queries",
  tell: "event",
  tells: "events",
  road: "handler",
  roads: "handlers",
  resident: "inline projection",
  residents: "inline projections",
  former: "duplicate",
  formers: "duplicate index",
  island: "fallback data",
  notebook: "connector state",
  notebooks: "connector states",
  freed: "released",
  generation: "snapshot",
  generations: "snapshots",
  insist: "retry until done",
  burn: "count as an attempt",
  onces: "idempotency records",
};

/** Names of other people's code, which we cannot change. */
const others = new Set(["maxYoungGenerationSizeMb", "maxOldGenerationSizeMb"]);

/** Every retired word in a file's name or in a name inside it. */
export function retiredIn({ path, text }: Pick<SourceFile, "path" | "text">): readonly string[] {
  const names = [path, ...identifiersIn(text)].filter((name) => !others.has(name));
  return names.flatMap((name) =>
    wordsOf(name)
      .filter((word) => Object.hasOwn(retiredWords, word))
      .map((word) => `${path}: ${name} (say ${retiredWords[word]})`),
  );
}
