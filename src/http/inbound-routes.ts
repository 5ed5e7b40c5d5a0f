import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { maxErrorMessages } from "../contract/envelope.ts";
import { type PushTopic, pushRow, pushTopics } from "../contract/pushes.ts";
import type { Problem } from "../contract/validator.ts";
import type { Engine } from "../engine/engine.ts";
import { type PushReading, readPush } from "../engine/read-push.ts";
import { chooseLanguage } from "../messages/choose-language.ts";
import { localise } from "../messages/localise.ts";
import { type OperatorText, say } from "../messages/message.ts";
import type { DateSettings } from "../sdk/dates.ts";
import { Fault } from "../sdk/fault.ts";
import { problemText } from "../sdk/problem-text.ts";
import { errorsByField, jsonContentType } from "./answer.ts";
import { type BulkRoad, bulkBytes } from "./bulk-road.ts";
import { problemAnswer } from "./problem-details.ts";
import { readJson } from "./read-json.ts";
import { isRefused, mayPush, type SenderCheck } from "./senders/sender-check.ts";
import { writeRefusal } from "./senders/write-refusal.ts";
import { writeAnswer } from "./write-answer.ts";

export interface InboundNeeds {
  readonly engine: Engine;
  /** Absent where large bodies stay in this thread. */
  readonly bulk: BulkRoad | null;
  readonly dates: DateSettings;
  readonly senders: SenderCheck;
  readonly basePath: string;
  readonly newReference: () => string;
}

/** Pushes of the external system: our own routes, so real status codes apply. Taken over is 202, and durable. */
export function inboundRoutes(app: FastifyInstance, needs: InboundNeeds): void {
  for (const topic of pushTopics) {
    app.route({
      method: "POST",
      url: needs.basePath + pushRow(topic).path,
      // Before the body is read: a stranger must not make us take in 64 MiB.
      onRequest: async (request, reply) => {
        const refused = await needs.senders.beforeBody(request);
        return refused === null ? undefined : writeRefusal(reply, refused, needs.newReference);
      },
      handler: (request, reply) => receive(needs, topic, request, reply),
    });
  }
}

async function receive(needs: InboundNeeds, topic: PushTopic, request: FastifyRequest, reply: FastifyReply) {
  const body = request.body as Uint8Array | undefined;
  const sender = await needs.senders.check(request, body ?? new Uint8Array());
  if (isRefused(sender)) return writeRefusal(reply, sender, needs.newReference);
  if (!mayPush(sender, topic)) {
    const detail = `The sender ${sender.sender} may not push ${topic}.`;
    return writeRefusal(reply, { status: 403, detail }, needs.newReference);
  }
  const reading = await readBody(needs, topic, body).catch(whyUnread);
  if ("notRead" in reading) return notNow(needs, reading.notRead, request, reply);
  if ("problems" in reading) return refuse(needs, reading.problems, request, reply);
  const acceptance = await needs.engine.accept(reading.entries);
  if ("ids" in acceptance) {
    return reply.status(202).header("content-type", jsonContentType).send(JSON.stringify(acceptance));
  }
  return notNow(needs, acceptance.notStored, request, reply);
}

/** Too many large bodies at once, or one that took too long: nothing was stored, and later it may go through. */
function whyUnread(error: unknown): { notRead: OperatorText } {
  if (!(error instanceof Fault)) throw error;
  return { notRead: error.operatorText ?? say("general.busy") };
}

function notNow(needs: InboundNeeds, text: OperatorText, request: FastifyRequest, reply: FastifyReply) {
  const detail = localise(text, chooseLanguage(request.headers["accept-language"]));
  reply.header("retry-after", "5");
  return writeAnswer(reply, problemAnswer({ status: 503, detail, traceId: needs.newReference() }));
}

async function readBody(needs: InboundNeeds, topic: PushTopic, body: Uint8Array | undefined): Promise<PushReading> {
  if (needs.bulk !== null && body !== undefined && body.length > bulkBytes) return needs.bulk.readPush(topic, body);
  return readPushBytes(topic, body, needs.dates);
}

/** The same for a small body here and for a large one in the other thread. */
export function readPushBytes(topic: PushTopic, body: Uint8Array | undefined, dates: DateSettings): PushReading {
  const json = readJson(body);
  return "problem" in json ? { problems: [json.problem] } : readPush(topic, json.value, dates);
}

function refuse(needs: InboundNeeds, problems: readonly Problem[], request: FastifyRequest, reply: FastifyReply) {
  const language = chooseLanguage(request.headers["accept-language"]);
  const texts = problems.slice(0, maxErrorMessages).map((problem) => localise(problemText(problem), language));
  const errors = errorsByField(problems, texts);
  const detail = "Nothing was stored. Correct the fields named in errors and send everything again.";
  const answer = { status: 400, detail, errors, errorCount: problems.length, traceId: needs.newReference() };
  return writeAnswer(reply, problemAnswer(answer));
}
