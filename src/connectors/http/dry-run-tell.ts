import type { TellId } from "../../contract/operations.ts";
import type { CallContext } from "../../sdk/connector.ts";
import type { DryRun } from "../../sdk/dry-run.ts";
import type { HttpRequest } from "../../sdk/http/http-client.ts";
import type { Answer } from "../../sdk/http/read-body.ts";
import type { Redact } from "../../sdk/http/redact.ts";
import type { TellOptions } from "./operation-options.ts";
import { openTell } from "./tell.ts";
import type { Workbench } from "./workbench.ts";

/** Stands for the answer of a system that is not asked: a success that says nothing. */
const yes: Answer = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
  unread: null,
  maxAnswerBytes: 2,
};

/** The requests an event would be sent by, made by the very code that sends them. */
export async function dryRunTell(
  { id, options, bench }: { id: TellId; options: TellOptions; bench: Workbench },
  input: unknown,
  context: CallContext,
): Promise<readonly DryRun[]> {
  const { success: _success, ...settings } = bench.settings;
  const made: DryRun[] = [];
  const call = async (request: HttpRequest) => {
    made.push(shownRequest(request, bench.settings.auth ?? {}, bench.redact));
    return yes;
  };
  const tell = openTell(id, judgingNothing(options), { ...bench, settings, call });
  try {
    await tell(input, context);
  } catch (error) {
    // What is filled from an earlier answer cannot be known without one; anything else is a mistake.
    if (made.length === 0 || !asksForAnswers(options)) throw error;
    made.push({ to: "one more, which is filled from the answers before it" });
  }
  return made;
}

/** A made-up answer fulfils no condition of success; here it is not about answers. */
function judgingNothing({ success: _success, steps, ...rest }: TellOptions): TellOptions {
  if (steps === undefined) return rest;
  return { ...rest, steps: steps.map(({ success: _own, ...step }) => step) };
}

const asksForAnswers = (options: TellOptions): boolean => JSON.stringify(options.steps ?? []).includes("{steps[");

function shownRequest({ method, url, headers, body }: HttpRequest, auth: object, redact: Redact): DryRun {
  const proof = Object.keys(auth).map((kind) => [`(${kind})`, "added when it is sent"] as const);
  const shown = Object.entries(headers).map(([name, value]) => [name, redact(value)] as const);
  const text = body === undefined ? undefined : redact(Buffer.from(body).toString());
  return {
    to: `${method} ${redact(decodeURI(url.href))}`,
    headers: Object.fromEntries([...shown, ...proof]),
    ...(text === undefined ? {} : { body: jsonOr(text) }),
  };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
