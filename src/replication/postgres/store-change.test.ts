import { expect, test } from "vitest";
import { isStatement, playStatement } from "../../../test/replication/play-statement.ts";
import { nextChange } from "../change.ts";
import { type StoreChangeNeeds, storeChange } from "./store-change.ts";

const owner = { deployment: "north", epoch: 3, leaseMs: 2_000 };
const change = nextChange({ number: 4, hash: new Uint8Array(32) }, new Uint8Array([1]));

/** An answer of PostgreSQL: whether the change was stored, or the state of the deployment. */
type Answer = Error | boolean | { readonly epoch: string; readonly owner: string };

/** Stores the change at a PostgreSQL that answers in this way, again and again. */
function stored(answers: readonly (Answer | "no connection")[], lost: string | null = null) {
  let nth = 0;
  let hasAsked = false;
  const request: StoreChangeNeeds["request"] = async (work) => {
    const answer = answers[Math.min(nth++, answers.length - 1)];
    if (answer === "no connection") throw new Error("connection refused");
    const answered = async () => {
      hasAsked = true;
      if (answer instanceof Error) throw answer;
      const state = {
        ...(answer as object),
        name: "north",
        last_number: "4",
        last_hash: Buffer.alloc(32),
        sides: null,
      };
      return { rowCount: answer === true ? 1 : 0, rows: [state] };
    };
    const query = (given: object) => (isStatement(given) ? playStatement(given, answered()) : answered());
    // The code under test uses nothing else of a connection.
    return await work({ query } as never);
  };
  return storeChange({ owner, request, patienceMs: 30, lost: () => (hasAsked ? lost : null) }, change);
}

const full = Object.assign(new Error("No space left on device"), { code: "53100" });
const broken = new Error("Connection terminated");

test("a change is in doubt if PostgreSQL was asked to store it and does not answer any more", async () => {
  expect(await stored([broken])).toMatchObject({ refused: expect.any(String), isDoubtful: true });
  expect(await stored([broken], "the lease is over")).toMatchObject({ lost: "the lease is over", isDoubtful: true });
});

test("a change is not in doubt if PostgreSQL refuses it, or if another process owns the deployment", async () => {
  expect(await stored([full])).toMatchObject({ refused: expect.any(String), isDoubtful: false });
  expect(await stored([false, { epoch: "4", owner: "other" }])).toMatchObject({ isDoubtful: false });
});

test("a change is not in doubt if there was no connection to send it over", async () => {
  expect(await stored(["no connection"])).toMatchObject({ refused: expect.any(String), isDoubtful: false });
  expect(await stored(["no connection", true])).toBe("stored");
  expect(await stored([broken, "no connection"])).toMatchObject({ isDoubtful: true });
});

test("an attempt without an answer stays in doubt although PostgreSQL does not have it yet: it may still be running there", async () => {
  const notYet = { epoch: "3", owner: "us" };
  expect(await stored([broken, notYet, "no connection"])).toMatchObject({ isDoubtful: true });
  expect(await stored([broken, notYet, full])).toMatchObject({ isDoubtful: true });
  expect(await stored([broken, notYet, true])).toBe("stored");
});

test("a change that waited for a connection until the deployment was lost is not sent", async () => {
  let lost: string | null = null;
  let sent = 0;
  const request: StoreChangeNeeds["request"] = async (work) => {
    lost = "the lease is over";
    return await work({ query: async () => void sent++ } as never);
  };
  const outcome = await storeChange({ owner, request, patienceMs: 30, lost: () => lost }, change);
  expect([outcome, sent]).toEqual([{ lost: "the lease is over", isDoubtful: false }, 0]);
});

test("if another process took over after an attempt without an answer, the change is in doubt", async () => {
  expect(await stored([broken, { epoch: "4", owner: "other" }])).toMatchObject({ isDoubtful: true });
});
