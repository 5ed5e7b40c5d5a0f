import { DatabaseSync } from "node:sqlite";
import { type PushTopic, pushRow } from "../../../src/contract/pushes.ts";
import { secrets } from "../../harness/checks/leak-in.ts";
import { defineScenario } from "../../harness/scenario.ts";
import { type Service, standByService } from "../../harness/service/service.ts";
import { pause, waitUntil } from "../../harness/wait.ts";

/** Some kills come after the answer. Then everything must be stored. */
const upToShare = 1.2;
const catchUpMs = 600_000;
const retryMs = 50;

/** What is pushed, round by round. In a spoiled push only the last element is wrong. */
const kinds = [
  { topic: "stock", isSpoiled: false, share: 1 },
  { topic: "workOrders", isSpoiled: false, share: 0.2 },
  { topic: "stock", isSpoiled: true, share: 1 },
] as const satisfies readonly { topic: PushTopic; isSpoiled: boolean; share: number }[];
type Kind = (typeof kinds)[number];

export const bulkKill = defineScenario({
  name: "bulk-kill",
  summary:
    "kill -9 at random moments of a long push: afterwards all of its elements are there or none, as its answer said, and the same push with the same key completes it without storing an element twice.",
  full: { cycles: 60, elements: 100_000, leastOfEach: 3 },
  short: { cycles: 3, elements: 1_500, leastOfEach: 0 },
  run: async ({ cycles, elements, leastOfEach }, stage) => {
    const settings = { stage, folder: stage.folder("bulk-kill") };
    const violations: string[] = [];
    const tookMs = new Map<Kind, number>();
    const outcomes = { cutOff: 0, completed: 0, answered: 0, inPart: 0 };
    let kills = 0;
    let service = await standByService(settings).begin().serving;
    for (const kind of kinds) {
      // This push is not killed. It only measures how long a push takes on this machine.
      const startedAt = performance.now();
      await push(service, pushOf(kind, 0, elements));
      tookMs.set(kind, performance.now() - startedAt);
    }
    for (const cycle of stage.rounds({ most: cycles })) {
      const kind = kinds[cycle % kinds.length] ?? kinds[0];
      const pushed = pushOf(kind, cycle, elements);
      const wrong = (text: string) =>
        violations.push(`push ${cycle} (${kind.topic}, ${pushed.count} elements): ${text}`);
      const standby = standByService(settings);
      const pushing = push(service, pushed);
      await pause(stage.random.below((tookMs.get(kind) ?? 0) * upToShare));
      await service.end("SIGKILL");
      kills++;
      const answer = await pushing;
      service = await standby.begin().serving;
      const { dataFolder } = service;
      if (!(await waitUntil(() => countStaged(dataFolder) === 0, { withinMs: catchUpMs }))) wrong("still not complete");
      const found = countOf(dataFolder, pushed);
      if (found.entries !== 0 && found.entries !== pushed.count) {
        outcomes.inPart++;
        wrong(`${found.entries} of them are in the journal`);
      }
      if (found.effects !== found.entries) wrong(`${found.entries} entries, but ${found.effects} took effect`);
      if (kind.isSpoiled && found.entries !== 0) wrong("stored although its last element is wrong");
      if (!kind.isSpoiled && answer?.status === 202 && found.entries === 0) wrong("acknowledged, but not stored");
      if (answer !== null) outcomes.answered++;
      else if (found.entries === 0) outcomes.cutOff++;
      else outcomes.completed++;

      const again = await push(service, pushed);
      const status = kind.isSpoiled ? 400 : 202;
      if (again?.status !== status) wrong(`sent again, it was answered with ${again?.status ?? "nothing"}`);
      // Only successes are compared, because each refusal has a reference of its own.
      if (answer?.status === 202 && again?.text !== answer.text) wrong("sent again, it got another answer");
      if (!kind.isSpoiled && again?.isReplayed !== found.entries > 0)
        wrong("the second answer disagrees with the journal");
      const now = countOf(dataFolder, pushed);
      const wanted = kind.isSpoiled ? 0 : pushed.count;
      if (now.entries !== wanted || now.effects !== wanted) wrong(`after the second push: ${JSON.stringify(now)}`);
      if (cycle % 10 === 0) stage.say(`${cycle} kills, ${JSON.stringify(outcomes)}`);
    }
    const least = { at: "least", limit: leastOfEach } as const;
    return {
      figures: [
        { what: "kills during a push", value: kills, unit: "", bar: { at: "least", limit: cycles } },
        { what: "pushes of which nothing was there", value: outcomes.cutOff, unit: "", bar: least },
        { what: "pushes that the next start completed", value: outcomes.completed, unit: "", bar: least },
        { what: "pushes answered before the kill", value: outcomes.answered, unit: "", bar: least },
        { what: "pushes of which a part was there", value: outcomes.inPart, unit: "", bar: { at: "most", limit: 0 } },
      ],
      violations,
    };
  },
});

interface Pushed {
  readonly path: string;
  readonly key: string;
  readonly body: string;
  readonly count: number;
  readonly topic: PushTopic;
  /** The beginning of the numbers of all elements. */
  readonly prefix: string;
}

function pushOf({ topic, isSpoiled, share }: Kind, cycle: number, elements: number): Pushed {
  const count = Math.round(elements * share);
  const prefix = `${isSpoiled ? "S" : "B"}${cycle}-`;
  const list = Array.from({ length: count }, (_, index) =>
    topic === "stock"
      ? { itemNumber: `${prefix}${index}`, amount: index % 9 }
      : {
          number: `${prefix}${index}`,
          dueDate: "2030-01-31T08:00:00Z",
          requests: [{ itemNumber: "A-1", requestedAmount: 1 + (index % 9) }],
        },
  );
  const body = JSON.stringify(isSpoiled ? [...list, { amount: 1 }] : list);
  return { path: pushRow(topic).path, key: `${topic}-${prefix}`, body, count, topic, prefix };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isReplayed: boolean;
}

/** Returns null if the connection broke. Waits while the service is still busy with the previous push. */
async function push({ url }: Service, { path, key, body }: Pushed): Promise<Answer | null> {
  const headers = { "content-type": "application/json", "x-api-key": secrets.apiKey, "idempotency-key": key };
  try {
    for (;;) {
      const answer = await fetch(url + path, { method: "POST", headers, body });
      const text = await answer.text();
      const isReplayed = answer.headers.get("idempotency-replayed") === "true";
      if (answer.status !== 503) return { status: answer.status, text, isReplayed };
      await pause(retryMs);
    }
  } catch {
    return null;
  }
}

const countStaged = (dataFolder: string): number =>
  queryNumbers(dataFolder, [
    "SELECT (SELECT count(*) FROM staged_call) + EXISTS (SELECT 1 FROM staged_chunk) AS n",
  ]).reduce((sum, n) => sum + n);

/** Counts the entries of a push in the journal, and the rows that they have produced. */
function countOf(dataFolder: string, { topic, prefix }: Pushed): { entries: number; effects: number } {
  // The character after "-" is ".", so all numbers that begin with the prefix lie between the two.
  const between = (column: string, start: string) =>
    `${column} >= '${start}${prefix}' AND ${column} < '${start}${prefix.slice(0, -1)}.'`;
  const [entries = 0, effects = 0] = queryNumbers(dataFolder, [
    `SELECT count(*) AS n FROM entry_lane WHERE ${between("lane", topic === "stock" ? "item:" : "wo:")}`,
    topic === "stock"
      ? `SELECT count(*) AS n FROM stock WHERE ${between("item_number", "")}`
      : `SELECT count(*) AS n FROM work_order WHERE ${between("number", "")}`,
  ]);
  return { entries, effects };
}

function queryNumbers(dataFolder: string, queries: readonly string[]): number[] {
  const database = new DatabaseSync(`${dataFolder}/crossdock.db`, { readOnly: true, timeout: 60_000 });
  try {
    return queries.map((query) => Number(database.prepare(query).get()?.["n"] ?? 0));
  } finally {
    database.close();
  }
}
