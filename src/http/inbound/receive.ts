import type { FastifyReply, FastifyRequest } from "fastify";
import type { PushTopic } from "../../contract/pushes.ts";
import type { Acceptance, Stored } from "../../engine/accept.ts";
import type { Engine } from "../../engine/engine.ts";
import type { OpenPush, PushDesk } from "../../engine/idempotency/push-desk.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { localise } from "../../messages/localise.ts";
import { type OperatorText, say } from "../../messages/message.ts";
import { Fault } from "../../sdk/fault.ts";
import { type BulkRoad, bulkBytes } from "../bulk-road.ts";
import { problemAnswer } from "../problem-details.ts";
import { isRefused, mayPush, type SenderCheck, type Verified } from "../senders/sender-check.ts";
import { writeRefusal } from "../senders/write-refusal.ts";
import { writeAnswer } from "../write-answer.ts";
import { bodyDigest, pushKeys } from "./idempotency-key.ts";
import { type AnswerPlan, answerPlan, refusedAnswer, storedAnswer } from "./inbound-answer.ts";
import type { InboundReading } from "./inbound-reading.ts";
import type { InboundRoute } from "./inbound-route.ts";

export interface ReceiveNeeds {
  readonly engine: Pick<Engine, "accept">;
  readonly desk: PushDesk;
  /** Absent where large bodies stay in this thread. */
  readonly bulk: BulkRoad | null;
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
  ): Promise<InboundReading | { notRead: OperatorText }> => {
    try {
      const isLarge = needs.bulk !== null && body.length > bulkBytes;
      return isLarge && needs.bulk !== null ? await needs.bulk.readPush(route.name, body) : await route.read(body);
    } catch (error) {
      // Too many large bodies at once, or one that took too long: nothing was stored, and later it may go through.
      if (!(error instanceof Fault)) throw error;
      return { notRead: error.operatorText ?? say("general.busy") };
    }
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
    if (stored.ids.length > stored.unchanged) needs.onTaken?.(route.topic, sender);
    return writeAnswer(reply, storedAnswer(plan, stored));
  };

  const replayed = (open: OpenPush["before"] & object, reply: FastifyReply) => {
    if ("isOther" in open) return problem(reply, 422, "Something else was sent under this Idempotency-Key before.");
    reply.header("idempotency-replayed", "true");
    // Written by us, with the entries it answers for.
    return writeAnswer(reply, storedAnswer(JSON.parse(open.known.note) as AnswerPlan, open.known));
  };

  const answer = async (
    { route, sender, open }: { route: InboundRoute; sender: string; open: OpenPush | null },
    body: Uint8Array,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    if (open !== null && open.before !== null) return replayed(open.before, reply);
    const reading = await readBody(route, body);
    if ("notRead" in reading) return notNow(reading.notRead, request, reply);
    const language = languageOf(request);
    const isRefusal =
      "unreadable" in reading || (reading.refused.length > 0 && !(route.isPartial && reading.entries.length > 0));
    if (isRefusal) return writeAnswer(reply, refusedAnswer(reading, language, newReference()));
    const plan = answerPlan(reading, route, language);
    if (open === null) {
      const acceptance: Acceptance = await needs.engine.accept(reading.entries, sender);
      if ("notStored" in acceptance) return notNow(acceptance.notStored, request, reply);
      return taken(route, sender, plan, acceptance, reply);
    }
    const outcome = await open.store(reading.entries, JSON.stringify(plan), sender);
    if ("notStored" in outcome) return notNow(outcome.notStored, request, reply);
    return "ids" in outcome ? taken(route, sender, plan, outcome, reply) : replayed(outcome, reply);
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

export const tooLarge = ({ limitBytes }: InboundRoute): string =>
  `The body is larger than ${Math.round(((limitBytes ?? 0) / 2 ** 20) * 1000) / 1000} MiB.`;

const languageOf = (request: FastifyRequest) => chooseLanguage(request.headers["accept-language"]);
