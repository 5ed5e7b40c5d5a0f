import { isDerivedEvent } from "../../contract/derived-events.ts";
import { operationRow } from "../../contract/operations.ts";
import { withoutRules } from "../../http-client/answers/answer-rules.ts";
import type { Answer } from "../../http-client/answers/read-body.ts";
import type { Scope } from "../../http-client/answers/template.ts";
import type { HttpRequest } from "../../http-client/http-client.ts";
import type { Redact } from "../../http-client/redact.ts";
import { compileMapping } from "../../mapping/compile-mapping.ts";
import { noSubject, refersToSubject, withNames } from "../../operation/event-subject.ts";
import { Fault } from "../../operation/fault.ts";
import { type AnyOutcome, ok } from "../../operation/outcome.ts";
import type { CallContext, DryRun } from "../../sdk/connector.ts";
import type { EventOptions, StepOptions } from "./options/operation-options.ts";
import { calledNames, type EventName } from "./placeholder-scope.ts";
import { compileStep, stepName } from "./steps/compile-step.ts";
import { compileCondition, compileValue } from "./steps/condition.ts";
import { keptList, runSteps } from "./steps/run-steps.ts";
import { stepProgress } from "./steps/step-progress.ts";
import type { Workbench } from "./workbench.ts";

type Event = (input: unknown, context: CallContext) => Promise<AnyOutcome>;

/**
 * Sends an event as one request, as one request per element of a list, or as several requests in order. Without an id
 * it is one of the adapter's own messages, which are not in the contract.
 */
export function openEvent(id: EventName | null, options: EventOptions, bench: Workbench): Event {
  const row = id === null || isDerivedEvent(id) ? null : operationRow(id);
  const { dates } = bench;
  const { each, idempotencyHeader = "idempotency-key" } = options;
  const when = compileCondition(options.when, "the condition of the event", dates);
  const elementsOf = each === undefined ? null : compileValue(each, "the list of the event", dates);
  // The event's own list is stored with it, and may be long.
  const isOwn = each !== undefined && /^input\b[^=]*$/.test(each);
  const mapping = options.map === undefined ? undefined : compileMapping(options.map, { dates });
  const given = stepsOf(options);
  const steps = given.map((step, index) => compileStep(step, stepName(step, index), options, bench));
  const needs = {
    ...{ steps, row, bench, isNamed: options.steps !== undefined },
    idempotencyHeader: idempotencyHeader.toLowerCase(),
  };
  const needsSubject = refersToSubject(options);
  const rules = JSON.stringify(options.map ?? {});
  const names = [...(needsSubject ? ["order", "line"] : []), ...calledNames.filter((name) => rules.includes(name))];

  /** The event's own mapping rules can also read its order, its line, and what the journal knows of it. */
  const withMapped = async (scope: Scope, source: unknown): Promise<Scope> => {
    if (mapping === undefined) return { ...scope, mapped: source };
    const { value, problems } = await mapping.apply(
      names.length === 0 ? source : withNames(source, namedIn(scope, names)),
    );
    const [problem] = problems;
    if (problem !== undefined) throw new Fault("rejected", `${problem.field}: ${problem.text}`);
    return { ...scope, mapped: value };
  };

  return async (input, context) => {
    const { delivery } = context;
    if (delivery === undefined) throw new Fault("broken", "only an event of the journal can be sent");
    const nothing = row?.data === undefined ? null : { updateWorkOrderRequest: null };
    if (steps.length === 0) return ok(nothing, { isUnsent: true });
    const subjectOf = async (source: unknown) =>
      needsSubject ? ((await context.findSubject?.(source)) ?? noSubject) : {};
    const scope = { ...bench.scope(input, context), ...(await subjectOf(input)) };
    const progress = await stepProgress(context.progress, delivery.body);
    const elements =
      elementsOf === null
        ? [undefined]
        : isOwn
          ? listOf(await elementsOf(scope))
          : await keptList(progress, delivery.entryId, () => elementsOf(scope));
    let isSent = false;
    try {
      for (const [index, element] of elements.entries()) {
        const own =
          elementsOf === null ? scope : { ...scope, ...ofElement(scope, await subjectOf(element)), element, index };
        if (!(await when(own))) {
          context.record?.({ to: "", skipped: "the condition of the event is not met" });
          continue;
        }
        const key = elements.length === 1 ? delivery.entryId : `${delivery.entryId}-${index + 1}`;
        const mapped = await withMapped(own, elementsOf === null ? input : element);
        const end = await runSteps(needs, { scope: mapped, key, context, progress });
        if (end.refusal !== null) {
          await progress.keep();
          return end.refusal;
        }
        isSent ||= end.isSent;
      }
    } catch (error) {
      // If progress cannot be stored, more is sent again than needed; but the original failure must be reported.
      await progress.keep().catch(() => {});
      throw error;
    }
    return ok(nothing, isSent ? {} : { isUnsent: true, unsentBecause: "no condition was met" });
  };
}

const namedIn = (scope: Scope, names: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(scope, name) ? [[name, scope[name] ?? null]] : [])));

/** An element may be about an order of its own; otherwise it is about the event's. */
const ofElement = (scope: Scope, own: object): object => ({
  ...own,
  ...("order" in own && own.order === null ? { order: scope["order"], line: scope["line"] } : {}),
});

/** A request without a configured body carries the mapped event, or the event itself. */
function stepsOf(options: EventOptions): readonly StepOptions[] {
  const { steps, path, method, query, headers, body, timeoutMs, expect, alreadyDone } = options;
  if (steps !== undefined) return steps;
  if (path === undefined) return [];
  const isBodiless = method === "GET" || method === "DELETE";
  const content = body ?? (isBodiless ? undefined : "{mapped}");
  const own = { method, query, headers, body: content, timeoutMs, expect, alreadyDone };
  return [{ path, ...defined(own) }];
}

function defined<T extends object>(members: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  // Only undefined members are removed, as the type says.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

const listOf = (found: unknown): readonly unknown[] => {
  if (Array.isArray(found)) return found;
  return found === undefined || found === null ? [] : [found];
};

/** Stands for the answer in a dry run, where the system is not called: a success without content. */
const yes: Answer = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
  unread: null,
  maxAnswerBytes: 2,
};

/** The requests that would be sent for an event, built by the same code that sends them. */
export async function dryRunEvent(
  { id, options, bench }: { id: EventName | null; options: EventOptions; bench: Workbench },
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
    await event(input, {
      ...context,
      record: ({ step, skipped }) => {
        if (skipped !== undefined)
          made.push({ to: `nothing${step === undefined ? "" : ` by step ${step}`}: ${skipped}` });
        return () => {};
      },
    });
  } catch (error) {
    // Values from an earlier answer are not known here; any other missing value is a mistake.
    if (made.length === 0 || !wantsAnswers(options)) throw error;
    made.push({ to: "one more request, filled from earlier answers" });
  }
  return made;
}

/** The answer in a dry run has no content, so no rule may judge it. */
function judgingNothing({ expect: _expect, steps, ...rest }: EventOptions): EventOptions {
  if (steps === undefined) return withoutRules(rest);
  return { ...withoutRules(rest), steps: steps.map(({ expect: _own, ...step }) => withoutRules(step)) };
}

const wantsAnswers = (options: EventOptions): boolean => /\bsteps\b/.test(JSON.stringify(options.steps ?? []));

function shownRequest({ method, url, headers, body }: HttpRequest, kind: string | undefined, redact: Redact): DryRun {
  const authHeader = kind === undefined || kind === "none" ? [] : [[`(${kind})`, "added when it is sent"] as const];
  const shown = Object.entries(headers).map(([name, value]) => [name, redact(value)] as const);
  const text = body === undefined ? undefined : redact(Buffer.from(body).toString());
  return {
    to: `${method} ${redact(decodeURI(url.href))}`,
    headers: Object.fromEntries([...shown, ...authHeader]),
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
