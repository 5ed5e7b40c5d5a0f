import type { FastifyInstance } from "fastify";
import { type PushProgress, pushProgressPath } from "../contract/push-progress.ts";
import { pushProgress } from "../engine/forward/push-progress.ts";
import { jsonContentType } from "./answer.ts";
import { problemAnswer } from "./problem-details.ts";
import { isRefused, mayPush } from "./senders/sender-check.ts";
import { writeRefusal } from "./senders/write-refusal.ts";
import { snapshotOf } from "./server-snapshot.ts";
import { writeAnswer } from "./write-answer.ts";

export interface ReceiptNeeds {
  readonly read: Parameters<typeof pushProgress>[0];
  readonly basePath: string;
  readonly newReference: () => string;
}

const receiptPath = pushProgressPath.replace("{id}", ":id");

/** What has become of a push, for whoever may push its topic. */
export function receiptRoute(app: FastifyInstance, { read, basePath, newReference }: ReceiptNeeds): void {
  app.route({
    method: "GET",
    url: basePath + receiptPath,
    handler: async (request, reply) => {
      const sender = await snapshotOf(request.raw).senders.checkQuestion(request);
      if (isRefused(sender)) return writeRefusal(reply, sender, newReference);
      // The route names this parameter, so the library has filled it.
      const { id = "" } = request.params as Readonly<Record<string, string>>;
      const progress: PushProgress | null = pushProgress(read, id);
      // One that is not theirs is nothing to them: the answer must not tell whether it exists.
      if (progress === null || !mayPush(sender, progress.topic)) {
        const detail = `There is no push ${JSON.stringify(id)}.`;
        return writeAnswer(reply, problemAnswer({ status: 404, detail, traceId: newReference() }));
      }
      return reply
        .header("content-type", jsonContentType)
        .header("cache-control", "no-store")
        .send(JSON.stringify(progress));
    },
  });
}
