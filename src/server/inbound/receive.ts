import { createHash, subtle } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { limits } from "../../contract/limits.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import type { Stored } from "../../engine/intake/accept.ts";
import type { KeyedPushes, OpenPush } from "../../engine/intake/keyed-pushes.ts";
import { mostInCommit } from "../../engine/intake/read-push.ts";
import type { Log } from "../../kit/log.ts";
import { traceTextOf } from "../../kit/tracing/trace-context.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { localise } from "../../messages/localise.ts";
import { type OperatorText, say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { isRefused, mayPush, type Verified, writeRefusal } from "../auth/sender-check.ts";
import { snapshotOf, spanOf } from "../connection/request-marks.ts";
import { problemAnswer, writeAnswer } from "../contract/answer.ts";
import { isIdempotencyKey } from "../contract/read-input.ts";
import type { ServerSnapshot } from "../server-snapshot.ts";
import { type AnswerPlan, answerPlan, countOf, refusedAnswer, storedAnswer } from "./inbound-answer.ts";
import {
  badPushThreadBytes,
  type InboundReading,
  type InboundSummary,
  type PushInParts,
  pushThreadBytes,
  summaryOf,
  type Unreadable,
} from "./inbound-reading.ts";
import type { InboundRoute } from "./inbound-route.ts";

export interface ReceiveNeeds {
  readonly keyed: KeyedPushes;
  /** Called for every push that stored something new, with its sender. */
  readonly onTaken?: (topic: PushTopic, sender: string) => void;
  readonly log: Log;
  readonly newReference: () => string;
}

const apiKeySender = "key";

/** Processes one push from its bytes to its answer: sender, permission, duplicate check, reading, storing. */
export function receiver(needs: ReceiveNeeds) {
  const { newReference } = needs;

  const problem = (reply: FastifyReply, status: number, detail: string) =>
    writeAnswer(reply, problemAnswer({ status, detail, traceId: newReference() }));

  const notNow = (text: OperatorText, request: FastifyRequest, reply: FastifyReply) => {
    reply.header("retry-after", "5");
    return problem(reply, 503, localise(text, languageOf(request)));
  };

  const readBody = async (
    { route, sender, snapshot, trace }: Taking,
    body: Uint8Array,
  ): Promise<InboundReading | PushInParts> => {
    if (snapshot.pushes === null) return await route.read(body);
    const read = body.length <= badPushThreadBytes ? route.read : route.readIfGood;
    const reading = body.length <= pushThreadBytes ? await read(body) : null;
    // Some kilobytes of cancellations are too many for one commit.
    if (reading !== null && !("entries" in reading && reading.entries.length > mostInCommit(route.topic)))
      return reading;
    return await snapshot.pushes.read({ routeName: route.name, body, sender, trace });
  };

  /** Returns why this sender may not use this route; null if it may. */
  const barred = (route: InboundRoute, verified: Verified): string | null => {
    const { sender } = verified;
    if (!mayPush(verified, route.topic)) return `The sender ${sender} may not push ${route.topic}.`;
    if (route.senders === null || route.senders.has(sender) || sender === apiKeySender) return null;
    return `The sender ${sender} may not use this route.`;
  };

  const taken = async ({ route, sender, snapshot }: Taking, plan: AnswerPlan, stored: Stored, reply: FastifyReply) => {
    const { topic } = route;
    // Only new content counts: a sender that repeats itself all day, or sends empty lists, is not active.
    if (countOf(stored) > stored.unchanged) {
      needs.onTaken?.(topic, sender);
      const unserved = snapshot.unservedPushes.get(topic);
      if (unserved !== undefined)
        needs.log.warn({ topic, sender, warning: unserved }, "a push was stored, but no list serves it");
    }
    return writeAnswer(reply, await storedAnswer(plan, stored));
  };

  const replayed = async (open: OpenPush["before"] & object, reply: FastifyReply) => {
    if ("isOther" in open) return problem(reply, 422, "A different push was sent with this Idempotency-Key before.");
    reply.header("idempotency-replayed", "true");
    // The adapter wrote it, together with the entries of the push.
    return writeAnswer(reply, await storedAnswer(JSON.parse(open.known.note) as AnswerPlan, open.known));
  };

  const refused = (found: InboundSummary | Unreadable, request: FastifyRequest, reply: FastifyReply) =>
    writeAnswer(reply, refusedAnswer(found, languageOf(request), newReference()));

  const store = async (
    taking: Taking,
    reading: Exclude<InboundReading, Unreadable>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { route, sender, open, snapshot } = taking;
    const plan = answerPlan(summaryOf(reading), route, languageOf(request));
    const outcome =
      open === null
        ? await snapshot.pushEngine.accept(reading.entries, sender)
        : await open.store(reading.entries, JSON.stringify(plan), sender);
    if ("notStored" in outcome) return notNow(outcome.notStored, request, reply);
    return await ("ids" in outcome ? taken(taking, plan, outcome, reply) : replayed(outcome, reply));
  };

  const storeInParts = async (
    taking: Taking,
    reading: PushInParts,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { route, open, snapshot } = taking;
    const { promise: read, resolve } = Promise.withResolvers<{
      found: InboundSummary | Unreadable;
      plan: AnswerPlan;
    }>();
    const end = async () => {
      const found = await reading.end();
      if ("unreadable" in found || isRefusal(found, route)) {
        resolve({ found, plan: { answer: null, count: 0 } });
        return null;
      }
      const plan = answerPlan(found, route, languageOf(request));
      resolve({ found, plan });
      return { note: JSON.stringify(plan), idempotency: null };
    };
    const outcome = await (open === null
      ? snapshot.pushEngine.acceptStaged({ parts: reading.parts, end })
      : open.storeStaged(reading.parts, end));
    if (outcome === null) return refused((await read).found, request, reply);
    if ("notStored" in outcome) return notNow(outcome.notStored, request, reply);
    // Without a key there can be no earlier result.
    if ("known" in outcome || "isOther" in outcome) return await replayed(outcome, reply);
    return await taken(taking, (await read).plan, outcome, reply);
  };

  const answer = async (taking: Taking, body: Uint8Array, request: FastifyRequest, reply: FastifyReply) => {
    const { route, open } = taking;
    if (open !== null && open.before !== null) return await replayed(open.before, reply);
    try {
      const reading = await readBody(taking, body);
      if ("parts" in reading) return await storeInParts(taking, reading, request, reply).finally(reading.drop);
      if ("unreadable" in reading) return refused(reading, request, reply);
      const summary = summaryOf(reading);
      return isRefusal(summary, route)
        ? refused(summary, request, reply)
        : await store(taking, reading, request, reply);
    } catch (error) {
      // There were too many large bodies at once, or one took too long: nothing was stored, and a retry may succeed.
      if (!(error instanceof Fault)) throw error;
      return notNow(error.operatorText ?? say("general.busy"), request, reply);
    }
  };

  return async (route: InboundRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // The parsers of this server give bytes, or nothing.
    const body = (request.body as Uint8Array | undefined) ?? new Uint8Array();
    const snapshot = snapshotOf(request.raw);
    const verified = await snapshot.senders.check(request, body);
    if (isRefused(verified)) return writeRefusal(reply, verified, newReference);
    const detail = barred(route, verified);
    if (detail !== null) return writeRefusal(reply, { status: 403, detail }, newReference);
    if (route.limitBytes !== null && body.length > route.limitBytes) return problem(reply, 413, tooLarge(route));
    const unwanted = snapshot.refusedPushes.get(route.topic);
    if (unwanted !== undefined) return problem(reply, 409, unwanted);
    const names = pushKeys(request, verified, route.name);
    if ("wrong" in names) return problem(reply, 400, names.wrong);
    const { sender } = verified;
    const span = spanOf(request.raw);
    const trace = span === undefined ? undefined : traceTextOf(span);
    if (names.keys.length === 0) return answer({ route, sender, trace, open: null, snapshot }, body, request, reply);
    // Computed before the body is read: a large body is transferred to another thread and is then gone here.
    const digest = await bodyDigest(body);
    const open = needs.keyed.begin({ keys: names.keys, digest }, snapshot.pushEngine);
    if (open === null) {
      reply.header("retry-after", "1");
      return problem(reply, 409, "A push with this Idempotency-Key is being stored now.");
    }
    try {
      return await answer({ route, sender, trace, open, snapshot }, body, request, reply);
    } finally {
      open.end();
    }
  };
}

interface Taking {
  readonly route: InboundRoute;
  readonly sender: string;
  readonly trace: string | undefined;
  readonly open: OpenPush | null;
  readonly snapshot: ServerSnapshot;
}

/** Whether nothing of the push may be stored. */
const isRefusal = ({ refused, good }: InboundSummary, { isPartial }: InboundRoute): boolean =>
  refused.length > 0 && !(isPartial && good > 0);

export const tooLarge = ({ limitBytes }: InboundRoute): string =>
  `The body is larger than ${Math.round(((limitBytes ?? 0) / 2 ** 20) * 1000) / 1000} MiB.`;

const languageOf = (request: FastifyRequest) => chooseLanguage(request.headers["accept-language"]);

/** The digest of a larger body is computed outside the main thread, which it would block for too long. */
const largeBytes = 256 * 1024;

/** Returns the idempotency keys of a push (possibly none), or what is wrong with its key. */
export function pushKeys(
  request: FastifyRequest,
  { sender, deliveryId }: Verified,
  routeName: string,
): { readonly keys: readonly string[] } | { readonly wrong: string } {
  const given = request.headers["idempotency-key"];
  if (given !== undefined && (typeof given !== "string" || !isIdempotencyKey(given))) {
    return { wrong: `The Idempotency-Key must be 1 to ${limits.idempotencyKeyLength} visible ASCII characters.` };
  }
  const keys = [
    ...(given === undefined ? [] : [JSON.stringify(["key", sender, routeName, given])]),
    // Added even if the request has a key: that header is not signed, and an attacker who replays a request could
    // change it.
    ...(deliveryId === undefined ? [] : [JSON.stringify(["delivery", deliveryId])]),
  ];
  return { keys };
}

export async function bodyDigest(body: Uint8Array): Promise<string> {
  if (body.length <= largeBytes) return createHash("sha256").update(body).digest("base64url");
  // Bodies are never in shared memory, although the declared type would allow it.
  return Buffer.from(await subtle.digest("SHA-256", body as Uint8Array<ArrayBuffer>)).toString("base64url");
}
