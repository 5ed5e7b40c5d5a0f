import { type EventId, operationRow } from "../../contract/operations.ts";
import { withoutRules } from "../../http-client/answers/answer-rules.ts";
import { judgeAnswer } from "../../http-client/answers/judge-answer.ts";
import type { Answer } from "../../http-client/answers/read-body.ts";
import { type Scope, scopeAt } from "../../http-client/answers/template.ts";
import { type HttpRequest, headerText } from "../../http-client/http-client.ts";
import type { Redact } from "../../http-client/redact.ts";
import { compileMapping } from "../../mapping/compile-mapping.ts";
import { Fault } from "../../operation/fault.ts";
import { type AnyOutcome, ok, type Refusal } from "../../operation/outcome.ts";
import type { CallContext, DryRun } from "../../sdk/connector.ts";
import type { EventOptions, RequestOptions, WhenOptions } from "./options/operation-options.ts";
import { rulesOf } from "./options/options.ts";
import { requestPlan } from "./request-plan.ts";
import type { Workbench } from "./workbench.ts";

type Event = (input: unknown, context: CallContext) => Promise<AnyOutcome>;

/**
 * Sends an event as one request, as one request per element of a list, or as several requests in order. Without an id it
 * is one of the adapter's own messages, which are not in the contract.
 */
export function openEvent(id: EventId | null, options: EventOptions, bench: Workbench): Event {
  const row = id === null ? null : operationRow(id);
  const { settings, redact, clock, call } = bench;
  const { when, each, idempotencyHeader = "idempotency-key" } = options;
  const mapping = options.map === undefined ? undefined : compileMapping(options.map, { dates: bench.dates });
  const steps = stepsOf(options).map((step) => ({
    when: step.when,
    plan: requestPlan({ request: step, baseUrl: bench.baseUrl, method: "POST", headers: bench.headers }),
    rules: rulesOf({ settings, request: step, event: options }),
  }));

  const send = async (scope: Scope, key: string, { signal, record }: CallContext): Promise<Refusal | null> => {
    const answers: unknown[] = [];
    for (const { when: condition, plan, rules } of steps) {
      const own = { ...scope, steps: answers };
      if (!isMet(condition, own)) {
        answers.push(null);
        continue;
      }
      const request = plan.fill(own);
      const headers = { ...request.headers, [idempotencyHeader.toLowerCase()]: headerText(key) };
      const answer = await call({ ...request, headers, signal, record, isLoginExpired: rules.isLoginExpired });
      const verdict = await judgeAnswer({ answer, row, rules, redact, now: clock.now() });
      if ("ok" in verdict) return verdict;
      answers.push(verdict.json);
    }
    return null;
  };

  const scopeFor = async (scope: Scope, source: unknown): Promise<Scope> => {
    if (mapping === undefined) return { ...scope, mapped: source };
    const { value, problems } = await mapping.apply(source);
    const [problem] = problems;
    if (problem !== undefined) throw new Fault("rejected", `${problem.field}: ${problem.text}`);
    return { ...scope, mapped: value };
  };

  return async (input, context) => {
    const { delivery } = context;
    if (delivery === undefined) throw new Fault("broken", "only an event of the journal can be sent");
    if (steps.length === 0)
      return ok(row?.data === undefined ? null : { updateWorkOrderRequest: null }, { isUnsent: true });
    const scope = bench.scope(input, context);
    const elements = each === undefined ? [undefined] : listAt(scope, each);
    for (const [index, element] of elements.entries()) {
      const own = each === undefined ? scope : { ...scope, element, index };
      if (!isMet(when, own)) continue;
      // One key per request, the same on every attempt: with a shared key the second element would count as a retry of the first.
      const key = elements.length === 1 ? delivery.entryId : `${delivery.entryId}-${index + 1}`;
      const refusal = await send(await scopeFor(own, each === undefined ? input : element), key, context);
      if (refusal !== null) return refusal;
    }
    return row?.data === undefined ? ok(null) : ok({ updateWorkOrderRequest: null });
  };
}

/** A request without a configured body carries the mapped event, or the event itself. */
function stepsOf({
  steps,
  path,
  method,
  query,
  headers,
  body,
}: EventOptions): (RequestOptions & { when?: WhenOptions })[] {
  if (steps !== undefined) return [...steps];
  if (path === undefined) return [];
  const isBodiless = method === "GET" || method === "DELETE";
  const content = body ?? (isBodiless ? undefined : "{mapped}");
  return [{ path, ...defined({ method, query, headers, body: content }) }];
}

function defined<T extends object>(members: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  // Only undefined members are removed, as the type says.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

function listAt(scope: Scope, path: string): readonly unknown[] {
  const found = scopeAt(scope, path);
  if (Array.isArray(found)) return found;
  return found === undefined || found === null ? [] : [found];
}

/** Whether a condition is met; no condition always is. */
function isMet(when: WhenOptions | undefined, scope: Scope): boolean {
  if (when === undefined) return true;
  const found = scopeAt(scope, when.path);
  return when.equals === undefined ? found !== undefined && found !== null && found !== false : found === when.equals;
}

/** Stands for the answer of a system that is not called: a success without content. */
const yes: Answer = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
  unread: null,
  maxAnswerBytes: 2,
};

/** The requests that would be sent for an event, built by the same code that sends them. */
export async function dryRunEvent(
  { id, options, bench }: { id: EventId; options: EventOptions; bench: Workbench },
  input: unknown,
  context: CallContext,
): Promise<readonly DryRun[]> {
  const settings = withoutRules(bench.settings);
  const made: DryRun[] = [];
  const call = async (request: HttpRequest) => {
    made.push(shownRequest(request, bench.settings.auth?.kind, bench.redact));
    return yes;
  };
  const event = openEvent(id, judgingNothing(options), { ...bench, settings, call });
  try {
    await event(input, context);
  } catch (error) {
    // Values from an earlier answer are not known here; any other missing value is a mistake.
    if (made.length === 0 || !wantsAnswers(options)) throw error;
    made.push({ to: "one more request, filled from earlier answers" });
  }
  return made;
}

/** The answer that stands for the system's says nothing, so no rule may judge it. */
function judgingNothing({ steps, ...rest }: EventOptions): EventOptions {
  return { ...withoutRules(rest), ...(steps === undefined ? {} : { steps: steps.map(withoutRules) }) };
}

const wantsAnswers = (options: EventOptions): boolean => JSON.stringify(options.steps ?? []).includes("{steps[");

function shownRequest({ method, url, headers, body }: HttpRequest, kind: string | undefined, redact: Redact): DryRun {
  const proof = kind === undefined || kind === "none" ? [] : [[`(${kind})`, "added when it is sent"] as const];
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
