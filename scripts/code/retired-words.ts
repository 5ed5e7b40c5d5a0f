import { identifiersIn, type SourceFile, wordsOf } from "./read-code.ts";

/** Unusual words that a newcomer had to learn, and the usual words that replaced them. */
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
  carrier: "member of an order group",
  carriers: "members of an order group",
  said: "content, text or reason",
  says: "matches",
  saying: "rule",
  sight: "record",
  sights: "records",
  told: "reported or announced",
  untold: "unreported",
  beside: "sibling, or in the background",
  besides: "meanwhile",
  desk: "editor, control or operator",
  desks: "operators",
  twin: "duplicate number, or indistinguishable line",
  twins: "duplicate numbers, or indistinguishable lines",
  stranger: "unknown name",
  strangers: "unknown names",
  proof: "credentials, or signature",
  door: "listener, or module",
  doors: "listeners, or modules",
  sieve: "filter",
  reckon: "compute",
  heard: "record a result",
  wishes: "requests or options",
};

/** Words that mean something else in other rooms, and are retired in the store only. */
export const retiredInStore: Readonly<Record<string, string>> = {
  word: "change",
  words: "changes",
  cut: "short-picked",
  cuts: "short-picked",
  uncut: "without what was short-picked",
  family: "order group",
  families: "order groups",
  account: "ledger line",
  accounts: "ledger lines",
};

/** Names in other people's code, and names of stored tables that a migration changes. */
const others = new Set(["maxYoungGenerationSizeMb", "maxOldGenerationSizeMb", "told_aside"]);

/** Files that read or write the stored name `cut`, which released layouts have. */
const withStoredNames = new Set([
  "store/store-rows.ts",
  "store/read-order-history.ts",
  "store/changes/wanted-table.ts",
  "store/ledger/ledger-table.ts",
]);

/** Returns every retired word in a file's name or in a name inside the file. */
export function retiredIn({ path, text }: Pick<SourceFile, "path" | "text">): readonly string[] {
  const names = [path, ...identifiersIn(text)].filter((name) => !others.has(name));
  const retired = path.startsWith("store/") ? { ...retiredWords, ...retiredInStore } : retiredWords;
  return names.flatMap((name) =>
    wordsOf(name)
      .filter((word) => Object.hasOwn(retired, word) && !(name === "cut" && withStoredNames.has(path)))
      .map((word) => `${path}: ${name} (say ${retired[word]})`),
  );
}
