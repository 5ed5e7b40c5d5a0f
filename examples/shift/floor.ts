import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { type Client, createClient } from "../../src/contract/derive/client.ts";
import type { Envelope } from "../../src/contract/envelope.ts";
import { type OfferedId, operationRow } from "../../src/contract/operations.ts";
import type { Booking, ExampleErp } from "./example-erp.ts";
import type { RunningProgram } from "./start-program.ts";

const longestWaitMs = 45_000;
const checkEveryMs = 100;

/** A warehouse floor with its platform: what it does, and what the ERP has to have booked because of it. */
export interface Floor {
  readonly client: Client;
  readonly erp: ExampleErp;
  /** Tells the reader what is going on. */
  readonly say: (text: string) => void;
  /** Something happened that the ERP has to book, once, and behind what happened to the same order before. */
  readonly happened: (...bookings: readonly Booking[]) => void;
  readonly bookings: () => readonly Booking[];
  /** Reads one of the adapter's own routes, with the key. */
  readonly look: (path: string) => Promise<unknown>;
  readonly until: (what: string, isSo: () => Promise<boolean>) => Promise<void>;
}

export interface FloorNeeds {
  readonly adapter: Pick<RunningProgram, "url" | "apiKey">;
  readonly erp: ExampleErp;
  readonly say: (text: string) => void;
}

export function openFloor({ adapter: { url, apiKey }, erp, say }: FloorNeeds): Floor {
  const bookings: Booking[] = [];
  return {
    ...{ erp, say, client: createClient({ baseUrl: url, apiKey }) },
    happened: (...more) => void bookings.push(...more),
    bookings: () => bookings,
    look: async (path) => {
      const answer = await fetch(url + path, { headers: { "x-api-key": apiKey } });
      assert.equal(answer.status, 200, `${path} answered ${answer.status}`);
      return answer.json();
    },
    until: async (what, isSo) => {
      for (let waitedMs = 0; !(await isSo()); waitedMs += checkEveryMs) {
        assert.ok(waitedMs < longestWaitMs, `waited in vain: ${what}`);
        await setTimeout(checkEveryMs);
      }
    },
  };
}

/** The data of an answer that has to be a success. */
export function granted<Data>(answer: Envelope<Data>): NonNullable<Data> {
  assert.ok(answer.isResultSuccess, `no success: ${JSON.stringify(answer)}`);
  // Events have no data; whoever asks for it knows that there is some.
  return answer.data as NonNullable<Data>;
}

/** The answer has to be this very refusal, with these words for the operator. */
export function refused(id: OfferedId, answer: Envelope<unknown>, result: string, words = /(?:)/): void {
  assert.equal(operationRow(id).results[answer.result], result, JSON.stringify(answer));
  assert.equal(answer.isResultSuccess, false);
  assert.match(answer.externalMessage ?? "", words);
}
