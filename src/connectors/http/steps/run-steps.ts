import type { Operation } from "../../../contract/operation.ts";
import { anyMatches, judgedAnswer } from "../../../http-client/answers/answer-condition.ts";
import { externalText, judgeAnswer } from "../../../http-client/answers/judge-answer.ts";
import { readOnce } from "../../../http-client/answers/read-answer.ts";
import type { Answer } from "../../../http-client/answers/read-body.ts";
import type { Scope } from "../../../http-client/answers/template.ts";
import { headerText } from "../../../http-client/http-client.ts";
import { Fault } from "../../../operation/fault.ts";
import type { Refusal } from "../../../operation/outcome.ts";
import type { CallContext } from "../../../sdk/connector.ts";
import type { RequestPlan } from "../request-plan.ts";
import type { Workbench } from "../workbench.ts";
import type { CompiledStep } from "./compile-step.ts";
import type { StepProgress } from "./step-progress.ts";

export interface RunNeeds {
  readonly steps: readonly CompiledStep[];
  /** The row of the contract; null for the adapter's own messages. */
  readonly row: Operation | null;
  readonly bench: Pick<Workbench, "call" | "redact" | "clock">;
  readonly idempotencyHeader: string;
  /** Whether a failure names its step: not if there is only one. */
  readonly isNamed: boolean;
}

/** One run over all steps of an event, or of one element of it. */
export interface Run {
  readonly scope: Scope;
  /** The idempotency key, the same on every attempt. */
  readonly key: string;
  readonly context: CallContext;
  readonly progress: StepProgress;
}

export interface RunEnd {
  readonly refusal: Refusal | null;
  /** Whether anything was sent, now or by an earlier attempt. */
  readonly isSent: boolean;
}

/**
 * Sends the steps in order. Requests that an earlier attempt has completed are not sent again: their answers are
 * stored.
 */
export async function runSteps(needs: RunNeeds, run: Run): Promise<RunEnd> {
  const answers: Record<string, unknown> = {};
  let isSent = false;
  for (const [index, step] of needs.steps.entries()) {
    const scope = { ...run.scope, steps: answers };
    const sent = await named(needs, step, () => runStep(needs, step, { ...run, scope }));
    if ("refusal" in sent) return { refusal: withStep(needs, step, sent.refusal), isSent: true };
    isSent ||= sent.isSent;
    answers[step.name] = sent.answer;
    // For `{steps[0]…}`: also by number.
    answers[String(index)] = sent.answer;
  }
  return { refusal: null, isSent };
}

type Sent = { readonly answer: unknown; readonly isSent: boolean } | { readonly refusal: Refusal };

async function runStep(needs: RunNeeds, step: CompiledStep, run: Run): Promise<Sent> {
  const { name } = step;
  if (step.each === null) return sendOnce(needs, step, run, requestKey(needs, run, name));
  const { each } = step;
  const elements = await keptList(run.progress, requestKey(needs, run, name), () => each(run.scope));
  const answers: unknown[] = [];
  let isSent = false;
  for (const [itemIndex, item] of elements.entries()) {
    const scope = { ...run.scope, item, itemIndex };
    const sent = await sendOnce(needs, step, { ...run, scope }, requestKey(needs, run, `${name}-${itemIndex + 1}`));
    if ("refusal" in sent) return sent;
    isSent ||= sent.isSent;
    answers.push(sent.answer);
  }
  if (elements.length === 0) run.context.record?.({ to: "", step: name, skipped: "its list is empty" });
  return { answer: answers, isSent };
}

/**
 * A list to repeat over, the same on every attempt: requests are found again by their place in it, and an order that
 * was changed meanwhile would give another list, of which the wrong elements would count as done.
 */
export async function keptList(progress: StepProgress, key: string, find: () => unknown): Promise<readonly unknown[]> {
  // No name of a step has brackets.
  const own = `${key}[]`;
  const known = progress.known(own, true)?.answer;
  if (Array.isArray(known)) return known;
  const found = await find();
  const elements = Array.isArray(found) ? found : found === undefined || found === null ? [] : [found];
  progress.end(own, "answered", elements, true);
  return elements;
}

/**
 * One key per request, the same on every attempt: with a shared key the second request would count as a retry of the
 * first.
 */
const requestKey = ({ steps }: RunNeeds, { key }: Run, own: string): string =>
  steps.length === 1 && steps[0]?.each === null ? key : `${key}-${own}`;

async function sendOnce(needs: RunNeeds, step: CompiledStep, run: Run, key: string): Promise<Sent> {
  const { context, progress } = run;
  const { isSafe, name } = step;
  const known = progress.known(key, isSafe);
  if (known !== undefined && step.plan === null) return { answer: known.answer, isSent: false };
  if (known !== undefined) {
    const skipped = known.isSkipped ? "its condition was not met" : "done by an earlier attempt";
    context.record?.({ to: "", step: name, skipped });
    return { answer: known.answer, isSent: !known.isSkipped };
  }
  if (!(await step.when(run.scope))) {
    context.record?.({ to: "", step: name, skipped: "its condition is not met" });
    progress.end(key, "skipped", undefined, true);
    return { answer: null, isSent: false };
  }
  // Aborted: another attempt may be under way, and must not be overtaken by this one.
  context.signal.throwIfAborted();
  const scope = await step.map(run.scope);
  if (step.plan === null) {
    // Stored with the next note, so that later attempts continue with the same values, whatever is picked meanwhile.
    progress.end(key, "answered", scope["mapped"], isSafe);
    return { answer: scope["mapped"], isSent: false };
  }
  if (!isSafe && progress.mayHaveArrived(key)) {
    const done = await queryWhetherDone(needs, step, { ...run, scope });
    if (done !== undefined) {
      progress.end(key, "already done", done.answer, isSafe);
      return { answer: done.answer, isSent: true };
    }
  }
  const request = await step.plan.fillInTurns(scope);
  await progress.begin(key, isSafe);
  context.signal.throwIfAborted();
  context.progress?.restart(placeOf(needs, step), step.timeoutMs);
  const headers = { ...request.headers, [needs.idempotencyHeader]: headerText(key) };
  const verdict = await exchange(needs, step, { ...request, headers }, context, (answer) =>
    rejectOutdated(needs, step, answer, progress),
  );
  if ("ok" in verdict) return { refusal: verdict };
  const answer = verdict.json ?? null;
  if (step.expect !== null && !(await step.expect({ ...scope, answer })))
    throw new Fault("rejected", "the answer does not say what is expected: it may belong to something else");
  progress.end(key, "answered", answer, isSafe);
  return { answer, isSent: true };
}

type Sending = Pick<CompiledStep, "rules" | "timeoutMs" | "name" | "isSafe" | "alreadyDone">;

async function exchange(
  { bench, row }: RunNeeds,
  { rules, timeoutMs, name, isSafe, alreadyDone }: Sending,
  request: ReturnType<RequestPlan["fill"]>,
  { signal, record }: CallContext,
  inspect: (answer: Answer) => Promise<void> = async () => {},
) {
  const { call, redact, clock } = bench;
  const answer = await call({
    ...request,
    signal,
    isLoginExpired: rules.isLoginExpired,
    // If the client itself sent the request again, it would be executed twice before `alreadyDone` could be asked.
    ...(isSafe ? { isRepeatable: true } : alreadyDone === null ? {} : { isRepeatable: false }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(record === undefined ? {} : { record: (sent) => record({ ...sent, step: name }) }),
  });
  await inspect(answer);
  return judgeAnswer({ answer, row, rules, redact, now: clock.now() });
}

/**
 * Throws if the answer means that the data read by earlier steps is outdated: the next attempt starts with the first
 * step.
 */
async function rejectOutdated(
  { bench: { redact } }: RunNeeds,
  { startOver, rules }: CompiledStep,
  answer: Answer,
  progress: StepProgress,
): Promise<void> {
  if (startOver.length === 0) return;
  const read = await readOnce(answer);
  const judged = judgedAnswer(answer, read);
  if (!(await anyMatches(startOver, judged))) return;
  await progress.forget();
  const text = redact(read.text);
  const operatorText = await externalText(rules, judged, redact);
  throw new Fault("rejected", `the first step follows again, because the answer is: ${text.slice(0, 500)}`, {
    answer: { status: answer.status, text, isPassing: true },
    ...(operatorText === undefined ? {} : { operatorText }),
  });
}

/** Asks whether an earlier sending took effect; undefined if it did not, or if that is unknown. */
async function queryWhetherDone(
  needs: RunNeeds,
  step: CompiledStep,
  { scope, context }: Run,
): Promise<{ readonly answer: unknown } | undefined> {
  const { name, alreadyDone, timeoutMs } = step;
  if (alreadyDone === null) return undefined;
  context.progress?.restart(placeOf(needs, step), timeoutMs);
  const { plan, rules, when, answer: answerOf } = alreadyDone;
  const querying = { rules, timeoutMs, isSafe: true, alreadyDone: null, name: `${name}: already done?` };
  const verdict = await exchange({ ...needs, row: null }, querying, plan.fill(scope), context).catch(
    (error: unknown) => {
      // There is no such record: nothing has taken effect. Any other failure leaves the question open.
      if (error instanceof Fault && error.answer.status === 404) return null;
      throw error;
    },
  );
  if (verdict === null || "ok" in verdict) return undefined;
  const own = { ...scope, answer: verdict.json ?? null };
  return (await when(own)) ? { answer: (await answerOf(own)) ?? null } : undefined;
}

const placeOf = ({ steps, isNamed }: RunNeeds, step: CompiledStep): string | undefined =>
  isNamed ? `step ${step.name} (${steps.indexOf(step) + 1} of ${steps.length})` : undefined;

/** Adds the step to the text of a failure; the steps before it are done. */
async function named<T>(needs: RunNeeds, step: CompiledStep, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const place = placeOf(needs, step);
    if (place === undefined || !(error instanceof Fault)) throw error;
    const { kind, message, operatorText, answer } = error;
    throw new Fault(kind, `${place}: ${message}`, {
      ...(operatorText === undefined ? {} : { operatorText }),
      answer,
      cause: error,
    });
  }
}

function withStep(needs: RunNeeds, step: CompiledStep, refusal: Refusal): Refusal {
  const at = placeOf(needs, step);
  return at === undefined ? refusal : { ...refusal, at };
}
