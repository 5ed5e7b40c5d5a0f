import type { IncomingMessage, ServerResponse } from "node:http";
import { jsonContentType } from "../../server/contract/answer.ts";
import { processPath } from "./deployment-problems.ts";
import { writePlain, writeProblem } from "./gate/unavailable-answer.ts";
import type { Group } from "./group/group.ts";

export const takeOverPath = `${processPath}/take-over`;
/** More than the longest name needs. */
const mostBytes = 1_024;

/** Answers when this process owns the deployment, or why it does not. */
export async function answerTakeOver(
  request: IncomingMessage,
  response: ServerResponse,
  takeOver: Group["takeOver"],
): Promise<void> {
  const deployment = await nameIn(request).catch(() => undefined);
  if (deployment === undefined) {
    // The caller has hung up.
    response.destroy();
    return;
  }
  if (deployment === null) {
    writeProblem(request, response, 400, 'Send the name of a deployment as JSON: { "deployment": "NAME" }.');
    return;
  }
  const result = await takeOver(deployment).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    return { isOwner: false, status: 503, reason: `The deployment ${deployment} was not taken over: ${why}.` } as const;
  });
  if (!result.isOwner) {
    writeProblem(request, response, result.status, result.reason);
    return;
  }
  const body = JSON.stringify({ deployment, ...result });
  writePlain(request, response, { status: 200, contentType: jsonContentType, body });
}

/** The name in the body; null if there is none. */
async function nameIn(request: IncomingMessage): Promise<string | null> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > mostBytes) return null;
  }
  try {
    // Anything but an object with this member is refused below.
    const given = JSON.parse(text) as { readonly deployment?: unknown } | null;
    return typeof given?.deployment === "string" ? given.deployment : null;
  } catch {
    return null;
  }
}
