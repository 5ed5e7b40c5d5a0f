import type { FastifyReply, FastifyRequest } from "fastify";
import type { PushTopic } from "../../contract/pushes.ts";
import type { Stored } from "../../engine/accept.ts";
import type { Engine } from "../../engine/engine.ts";
import type { OpenPush, PushDesk } from "../../engine/idempotency/push-desk.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { localise } from "../../messages/localise.ts";
import { type OperatorText, say } from "../../messages/message.ts";
import { Fault } from "../../sdk/fault.ts";
import { problemAnswer } from "../problem-details.ts";
import { isRefused, mayPush, type SenderCheck, type Verified } from "../senders/sender-check.ts";
import { writeRefusal } from "../senders/write-refusal.ts";
import { writeAnswer } from "../write-answer.ts";
import { bodyDigest, pushKeys } from "./idempotency-key.ts";
import { type AnswerPlan, answerPlan, countOf, refusedAnswer, storedAnswer } from "./inbound-answer.ts";
import { type InboundReading, type InboundSummary, summaryOf, type Unreadable } from "./inbound-reading.ts";
import type { InboundRoute } from "./inbound-route.ts";
import { type PushInParts, type PushRoad, pushThreadBytes } from "./push-road.ts";

export interface ReceiveNeeds {
  readonly engine: Pick<Engine, "accept" | "acceptStaged">;
  readonly desk: PushDesk;
  /** Absent where large bodies stay in this thread. */
  readonly pushes: PushRoad | null;
  readonly senders: SenderCheck;
  /** Told of every push that brought something new, and who sent it. */
  /** Why pushes of this topic are refused by everybody; null: they are not. */
  readonly refusal?: (topic: PushTopic) => string | null;
  readonly onTaken?: (topic: PushTopic, sender: string) => void;
  readonly newReference: () => string;
}

const apiKeySender = "key";

/** One push from its bytes to its answer: who, whether they may, whether it came before, what it says, stored. */
export function receiver(needs: ReceiveNeeds) {
  const { newReference } = needs;

  const problem = (reply: FastifyReply, status: number, detail: string) =>
    writeAnswer(reply, problemAnswer({ status, detail, traceId: newReference() }));

  const notNow = (text: OperatorText, request: FastifyRequest, reply: FastifyReply) => {
    reply.header("retry-after", "5");
    return problem(reply, 503, localise(text, languageOf(request)));
  };

  const readBody = async (
    route: InboundRoute,
    body: Uint8Array,
    sender: string,
  ): Promise<InboundReading | PushInParts> => {
    if (needs.pushes === null || body.length <= pushThreadBytes) return await route.read(body);
    return await needs.pushes.read({ routeName: route.name, body, sender });
  };

  /** Why this sender may not use this route; null: they may. */
  const barred = (route: InboundRoute, verified: Verified): string | null => {
    const { sender } = verified;
    if (!mayPush(verified, route.topic)) return `The sender ${sender} may not push ${route.topic}.`;
    if (route.senders === null || route.senders.has(sender) || sender === apiKeySender) return null;
    return `The sender ${sender} may not use this route.`;
  };

  const taken = (route: InboundRoute, sender: string, plan: AnswerPlan, stored: Stored, reply: FastifyReply) => {
    // A sender that repeats itself all day, or sends empty lists, must not look as if something came.
    if (countOf(stored) > stored.unchanged) needs.onTaken?.(route.topic, sender);
    return writeAnswer(reply, storedAnswer(plan, stored));
  };

  const replayed = (open: OpenPush["before"] & object, reply: FastifyReply) => {
    if ("isOther" in open) return problem(reply, 422, "Something else was sent under this Idempotency-Key before.");
    reply.header("idempotency-replayed", "true");
    // Written by us, with the entries it answers for.
    return writeAnswer(reply, storedAnswer(JSON.parse(open.known.note) as AnswerPlan, open.known));
  };

  const refused = (found: InboundSummary | Unreadable, request: FastifyRequest, reply: FastifyReply) =>
    writeAnswer(reply, refusedAnswer(found, languageOf(request), newReference()));

  const store = async (
    { route, sender, open }: Taking,
    reading: Exclude<InboundReading, Unreadable>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const plan = answerPlan(summaryOf(reading), route, languageOf(request));
    const outcome =
      open === null
        ? await needs.engine.accept(reading.entries, sender)
        : await open.store(reading.entries, JSON.stringify(plan), sender);
    if ("notStored" in outcome) return notNow(outcome.notStored, request, reply);
    return "ids" in outcome ? taken(route, sender, plan, outcome, reply) : replayed(outcome, reply);
  };

  const storeInParts = async (
    { route, sender, open }: Taking,
    reading: PushInParts,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
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
      return { note: JSON.stringify(plan), once: null };
    };
    const outcome = await (open === null
      ? needs.engine.acceptStaged({ parts: reading.parts, end })
      : open.storeStaged(reading.parts, end));
    if (outcome === null) return refused((await read).found, request, reply);
    if ("notStored" in outcome) return notNow(outcome.notStored, request, reply);
    // Without a name nothing is known of it.
    if ("known" in outcome || "isOther" in outcome) return replayed(outcome, reply);
    return taken(route, sender, (await read).plan, outcome, reply);
  };

  const answer = async (taking: Taking, body: Uint8Array, request: FastifyRequest, reply: FastifyReply) => {
    const { route, sender, open } = taking;
    if (open !== null && open.before !== null) return replayed(open.before, reply);
    try {
      const reading = await readBody(route, body, sender);
      if ("parts" in reading) return await storeInParts(taking, reading, request, reply).finally(reading.drop);
      if ("unreadable" in reading) return refused(reading, request, reply);
      const summary = summaryOf(reading);
      return isRefusal(summary, route)
        ? refused(summary, request, reply)
        : await store(taking, reading, request, reply);
    } catch (error) {
      // Too many large bodies at once, or one that took too long: nothing was stored, and later it may go through.
      if (!(error instanceof Fault)) throw error;
      return notNow(error.operatorText ?? say("general.busy"), request, reply);
    }
  };

  return async (route: InboundRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = (request.body as Uint8Array | undefined) ?? new Uint8Array();
    const verified = await needs.senders.check(request, body);
    if (isRefused(verified)) return writeRefusal(reply, verified, newReference);
    const detail = barred(route, verified);
    if (detail !== null) return writeRefusal(reply, { status: 403, detail }, newReference);
    if (route.limitBytes !== null && body.length > route.limitBytes) return problem(reply, 413, tooLarge(route));
    const unwanted = needs.refusal?.(route.topic) ?? null;
    if (unwanted !== null) return problem(reply, 409, unwanted);
    const names = pushKeys(request, verified, route.name);
    if ("wrong" in names) return problem(reply, 400, names.wrong);
    const { sender } = verified;
    if (names.keys.length === 0) return answer({ route, sender, open: null }, body, request, reply);
    // Before the body is read: a large one is handed to another thread, and is gone here.
    const digest = await bodyDigest(body);
    const open = needs.desk.begin({ keys: names.keys, digest });
    if (open === null) {
      reply.header("retry-after", "1");
      return problem(reply, 409, "A push with this Idempotency-Key is being stored just now.");
    }
    try {
      return await answer({ route, sender, open }, body, request, reply);
    } finally {
      open.end();
    }
  };
}

interface Taking {
  readonly route: InboundRoute;
  readonly sender: string;
  readonly open: OpenPush | null;
}

/** Whether nothing of it is to be stored. */
const isRefusal = ({ refused, good }: InboundSummary, { isPartial }: InboundRoute): boolean =>
  refused.length > 0 && !(isPartial && good > 0);

export const tooLarge = ({ limitBytes }: InboundRoute): string =>
  `The body is larger than ${Math.round(((limitBytes ?? 0) / 2 ** 20) * 1000) / 1000} MiB.`;

const languageOf = (request: FastifyRequest) => chooseLanguage(request.headers["accept-language"]);
