import { createHash } from "node:crypto";
import { requestFor } from "../../../contract/derive/client.ts";
import { type InputOf, type OperationId, operationRow } from "../../../contract/operations.ts";
import { type PushedElement, type PushReceipt, type PushTopic, pushRow } from "../../../contract/pushes.ts";
import type { PickingSummary } from "../../../contract/schemas/confirm-step.ts";
import type { Random } from "../../../kit/ids.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { PlatformRecords } from "../records/platform-records.ts";
import type { Tally } from "./call-tally.ts";
import {
  type Answer,
  type Answered,
  type Channel,
  isAnswered,
  type Manner,
  openChannel,
  type Reply,
  readAnswer,
  type Sending,
} from "./channel.ts";
import { drawFault, type FaultRates } from "./fault-rates.ts";
import { playFault } from "./play-fault.ts";

interface StepAmounts {
  readonly amountToConfirmPickingSummary?: PickingSummary | null;
  readonly amountToConfirmSummary?: PickingSummary | null;
  readonly amountToConfirmPlacingInBaseUnitOfMeasure?: number | null;
}

/**
 * Whether an adapter can tell this event from a second identical one. If so, it must recognise a copy even after its
 * answer. Two pieces put on the same shelf are identical events: a copy of those may be sent only while unanswered.
 */
function canBeRepeated(id: OperationId, input: unknown): boolean {
  if (id === "confirmStep" || id === "confirmCartStep") return confirmed(input as StepAmounts) > 0;
  return isDistinct.has(id);
}

const isDistinct: ReadonlySet<OperationId> = new Set([
  "cancelWorkOrderRequest",
  "attachWorkOrder",
  "relocateCartContainers",
  "changeStatus",
]);

function confirmed(step: StepAmounts): number {
  const summary = step.amountToConfirmPickingSummary ?? step.amountToConfirmSummary;
  const shares = summary?.containersBreakdown ?? [];
  const picked = shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);
  return picked + (step.amountToConfirmPlacingInBaseUnitOfMeasure ?? 0);
}

/** Thrown if the adapter has not answered for longer than the floor can wait. */
export class AdapterSilent extends Error {
  constructor(url: string, failure: string) {
    super(`nobody answers at ${url}: ${failure}`);
    this.name = "AdapterSilent";
  }
}

/** What a call is about, for the records and for the history in a finding. */
export interface About {
  readonly orders: readonly string[];
  readonly what: string;
  /** Whether the operator cannot go on without the answer. Then a query is retried as well. */
  readonly isNeeded?: boolean;
  /** Whether the call is sent only to find out more about a difference. It is not part of the digest. */
  readonly isToExplain?: boolean;
}

/** One operator's connection to the adapter. */
export interface Caller {
  /** Sends until there is an answer, as a platform does. A temporary refusal is retried a few times. */
  readonly call: <Id extends OperationId>(id: Id, input: InputOf<Id>, about: About) => Promise<Answer<Id>>;
  /**
   * Pushes as the external system. Returns the accepted ids, or null if the push was refused. Without a key nothing is
   * sent.
   */
  readonly push: <Topic extends PushTopic>(
    topic: Topic,
    elements: readonly PushedElement[Topic][],
    about: About,
  ) => Promise<readonly string[] | null>;
  /** How often the adapter broke the connection or was not reachable. */
  readonly breaks: () => number;
  /** A digest of all calls in order, each call once, without those that explain a difference. */
  readonly digest: () => string;
  readonly close: () => Promise<void>;
}

export interface CallerNeeds {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly language: string;
  /** Prefix of the Idempotency-Key of each event. Null sends no key, as in the contract. */
  readonly keyPrefix: string | null;
  readonly rates: FaultRates;
  readonly random: Random;
  readonly tally: Tally;
  readonly records: PlatformRecords;
  readonly pace: () => Promise<void>;
  readonly timers: Timers;
  readonly now: () => number;
  /** How long the adapter may be silent before the simulation ends. */
  readonly patienceMs: number;
  readonly stopped: AbortSignal;
}

/** Used instead of `patienceMs` if the adapter has never answered, and after a stop signal. */
const shortPatienceMs = 10_000;
const timeoutMs = 10_000;
/** An operator retries a few times before calling for help. */
const mostTries = 8;
const mayPass = new Set(["OperationFailed", "AdapterApiClientFailed", "AdapterApiCallFailed"]);

export function openCaller(needs: CallerNeeds): Caller {
  const {
    baseUrl,
    apiKey,
    language,
    keyPrefix,
    rates,
    random,
    tally,
    records,
    pace,
    timers,
    now,
    patienceMs,
    stopped,
  } = needs;
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/+$/, "");
  const main = openChannel({ origin, timeoutMs });
  let second: Channel | null = null;
  const spare = () => {
    second ??= openChannel({ origin, timeoutMs });
    return second;
  };
  let calls = 0;
  const digest = createHash("sha256");
  const pause = (ms: number) => new Promise<void>((resolve) => timers.after(ms, resolve));

  const send = async (id: OperationId | null, sending: Sending, manner?: Manner): Promise<Reply> => {
    const began = now();
    const reply = await main.send(sending, manner);
    if (!isAnswered(reply)) tally.miss();
    else if (id !== null) tally.answered(id, now() - began);
    return reply;
  };

  /** Sends the same bytes again until there is an answer. */
  const retryUntilDone = async (id: OperationId | null, sending: Sending): Promise<Answered> => {
    const since = now();
    for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 500)) {
      const reply = await send(id, sending);
      // A 5xx means busy or stopping. To a platform that is the same as no answer.
      if (isAnswered(reply) && reply.status < 500) return reply;
      const failure = isAnswered(reply) ? `it answers ${reply.status}` : reply.failure;
      const isShort = stopped.aborted || tally.all.count() === 0;
      if (now() - since > (isShort ? Math.min(shortPatienceMs, patienceMs) : patienceMs))
        throw new AdapterSilent(baseUrl, failure);
      tally.resend();
      await pause(waitMs);
    }
  };

  const sendingOf = (method: "GET" | "POST", path: string, body: string | undefined, more = {}): Sending => ({
    method,
    path: basePath + path,
    headers: {
      accept: "application/json",
      "accept-language": language,
      ...(body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...more,
    },
    body: body === undefined ? null : Buffer.from(body),
  });
  const harmless = sendingOf("GET", operationRow("getStatus").path, undefined);

  const noteOddAnswer = (what: string, expected: string, { status, text }: Answered, order: string | null) =>
    tally.note({
      kind: "answer",
      order,
      item: null,
      text: `${what} was not answered as it should be`,
      expected,
      found: `${status} ${text.slice(0, 300)}`,
      calls: [],
    });

  return {
    call: async <Id extends OperationId>(id: Id, input: InputOf<Id>, about: About): Promise<Answer<Id>> => {
      const row = operationRow(id);
      const { method, path, body } = requestFor(row, input);
      if (about.isToExplain !== true) digest.update(`${method} ${path} ${body ?? ""}\n`);
      const key = keyPrefix === null || row.kind === "query" ? {} : { "idempotency-key": `${keyPrefix}-${calls++}` };
      const sending = sendingOf(method, path, body, key);
      const fault = drawFault(random, rates);
      const isCopyable = row.kind === "query" || canBeRepeated(id, input);
      await pace();
      const brokenBefore = main.breaks();
      const own = { id, sending, isCopyable, harmless, random, tally, spare, pause };
      const ways = {
        send: (manner: Manner) => send(id, sending, manner),
        retryUntilDone: () => retryUntilDone(id, sending),
      };
      let reply = fault === null ? await retryUntilDone(id, sending) : await playFault(fault, { ...own, ...ways });
      for (let tries = 1; ; tries++) {
        const answer = readAnswer(id, reply);
        if (answer === null) {
          noteOddAnswer(
            `${row.method} ${row.path}`,
            "200 with a result of this endpoint",
            reply,
            about.orders[0] ?? null,
          );
        }
        const { ok, result } = answer ?? { ok: false, result: "" };
        if (result === "AdapterNotDefined") tally.notOffered.add(id);
        const isRetried = row.kind === "event" || about.isNeeded === true;
        if (ok || !isRetried || !mayPass.has(result) || tries === mostTries) {
          if (!ok) tally.refused(id, result);
          const breaks = main.breaks() - brokenBefore;
          const trouble = [fault ?? [], breaks === 0 ? [] : `the connection broke ${breaks} times`].flat().join(", ");
          records.noteCall(about.orders, `${id} ${about.what}: ${result}${trouble === "" ? "" : ` (${trouble})`}`);
          return answer ?? { ok, result, data: null, message: null };
        }
        tally.resend();
        await pause(100 * tries);
        reply = await retryUntilDone(id, sending);
      }
    },
    push: async (topic, elements, about) => {
      if (apiKey === null) return null;
      const { path } = pushRow(topic);
      const body = JSON.stringify(elements);
      digest.update(`POST ${path} ${body}\n`);
      await pace();
      const reply = await retryUntilDone(null, sendingOf("POST", path, body, { authorization: `Bearer ${apiKey}` }));
      records.noteCall(about.orders, `push of ${topic} ${about.what}: ${reply.status}`);
      if (reply.status === 202) return idsIn(reply.text);
      noteOddAnswer(`a push of ${topic}`, "202", reply, about.orders[0] ?? null);
      return null;
    },
    breaks: main.breaks,
    digest: () => digest.copy().digest("hex"),
    close: async () => {
      await Promise.all([main.close(), second?.close()]);
    },
  };
}

/** Other adapters may return no ids. Then receipts cannot be told apart. */
function idsIn(text: string): readonly string[] {
  try {
    const { ids } = JSON.parse(text) as Partial<PushReceipt>;
    return Array.isArray(ids) ? ids : [];
  } catch {
    return [];
  }
}
