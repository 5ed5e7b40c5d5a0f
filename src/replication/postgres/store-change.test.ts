import { expect, test } from "vitest";
import { nextChange } from "../change.ts";
import { storeChange } from "./store-change.ts";

const owner = { deployment: "north", epoch: 3, leaseMs: 2_000 };
const change = nextChange({ number: 4, hash: new Uint8Array(32) }, new Uint8Array([1]));

/** Stores the change at a PostgreSQL that answers in this way, again and again. */
function stored(answers: readonly (Error | boolean | object)[], lost: string | null = null) {
  let nth = 0;
  // The code under test passes statements on and uses only what they return.
  const request = async () => {
    const answer = answers[Math.min(nth++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer as never;
  };
  return storeChange({ owner, request, patienceMs: 30, lost: () => (nth === 0 ? null : lost) }, change);
}

const full = Object.assign(new Error("No space left on device"), { code: "53100" });
const broken = new Error("Connection terminated");

test("a change is in doubt if PostgreSQL was asked to store it and does not answer any more", async () => {
  expect(await stored([broken])).toMatchObject({ refused: expect.any(String), isDoubtful: true });
  expect(await stored([broken], "the lease is over")).toMatchObject({ lost: "the lease is over", isDoubtful: true });
});

test("a change is not in doubt if PostgreSQL refuses it, or if another process owns the deployment", async () => {
  expect(await stored([full])).toMatchObject({ refused: expect.any(String), isDoubtful: false });
  expect(await stored([false, { epoch: 4, owner: "other" }])).toMatchObject({ isDoubtful: false });
});

test("if another process took over after an attempt without an answer, the change is in doubt", async () => {
  expect(await stored([broken, { epoch: 4, owner: "other" }])).toMatchObject({ isDoubtful: true });
});
