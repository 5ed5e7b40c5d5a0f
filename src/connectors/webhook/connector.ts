import type { Operation } from "../../contract/operation.ts";
import { type EventId, operationIds, operationRow } from "../../contract/operations.ts";
import { type UpdateWorkOrderRequest, updateWorkOrderRequestSchema } from "../../contract/schemas/confirm-step.ts";
import { validator } from "../../contract/validate/validator.ts";
import { answerRuleProblems } from "../../http-client/answers/answer-rules.ts";
import { faultOfError, judgeAnswer } from "../../http-client/answers/judge-answer.ts";
import type { Answer } from "../../http-client/answers/read-body.ts";
import { memberAt } from "../../http-client/answers/template.ts";
import { httpClient, recordingClient, staticHeaders } from "../../http-client/http-client.ts";
import { type Network, proxyProblems, proxySecrets, systemNetwork } from "../../http-client/network/proxy-choice.ts";
import { masker, redactor } from "../../http-client/redact.ts";
import { Fault } from "../../operation/fault.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { type AnyOutcome, ok } from "../../operation/outcome.ts";
import {
  type CallContext,
  type DerivedEvents,
  defineConnector,
  type Events,
  type OpenConnector,
  type OpenContext,
} from "../../sdk/connector.ts";
import { type WebhookOptions, webhookOptions, withDefaults } from "./options.ts";
import { requestHeaders, signingKey } from "./request-headers.ts";

interface UpdateReading {
  readonly update: UpdateWorkOrderRequest | null;
  /** Why an update in the answer is ignored. */
  readonly ignored: string | null;
}

const checks = validator(updateWorkOrderRequestSchema);
const none: UpdateReading = { update: null, ignored: null };
const ignored = (reason: string): UpdateReading => ({ update: null, ignored: reason });

/**
 * The update of a running order in the answer to a confirm step. The platform applies it at once, so an update
 * that is invalid, or for a different order than the step's, is ignored. The step itself still counts as delivered.
 */
export function readUpdate(json: unknown, input: unknown): UpdateReading {
  const found = memberAt(json, "updateWorkOrderRequest");
  if (found === undefined || found === null) return none;
  const update = checks.canonical(found);
  if (!checks.isValid(update)) {
    const [problem] = checks.problems(update);
    return ignored(`it is not valid (${problem?.field || "the whole"}: ${problem?.expected ?? "?"})`);
  }
  const id = memberAt(update, "id");
  const wantedId = memberAt(memberAt(input, "updateWorkOrderRequest"), "id");
  if (typeof id !== "number" || id !== wantedId) return ignored(`it is for the order with id ${id}, not ${wantedId}`);
  // Checked against its schema above.
  return { update: update as UpdateWorkOrderRequest, ignored: null };
}

/** Larger answers are cut: no expected answer is longer. */
const maxAnswerBytes = 1024 * 1024;
/** Headers that each event sets itself. */
const own = /^(content-type|content-digest|accept-encoding|idempotency-key|(webhook|ce|crossdock)-.*)$/;
const eventIds = operationIds.filter((id): id is EventId => operationRow(id).kind === "event");

export interface WebhookNeeds extends Pick<OpenContext, "clock" | "log">, Network {}

/** Sends every entry as one POST to one URL. */
export function openWebhook(options: WebhookOptions, { clock, log, ...network }: WebhookNeeds): OpenConnector {
  const settings = withDefaults(options);
  const url = new URL(settings.url);
  checkRefusals(settings.refusals);
  const fixedHeaders = staticHeaders(settings.headers, own);
  const secrets = [
    ...settings.secrets.flatMap((secret) => [secret, secret.replace(/^whsec_/, "")]),
    ...proxySecrets(settings.proxy),
  ];
  const known = { values: secrets, headers: settings.headers, url };
  const redact = redactor(known);
  const keys = settings.secrets.map(signingKey);
  const { allowHosts, allowPrivate, proxy, timeouts, ca } = settings;
  // The limit applies to the received bytes; a compressed answer could expand beyond it, so compression is not accepted.
  const limits = { timeouts, maxAnswerBytes, decodes: false };
  const { resolve, environment } = network;
  const connection = { allowHosts, allowPrivate, proxy, tls: { ca }, resolve, environment };
  const client = recordingClient(httpClient({ url, ...connection, ...limits }), masker(known));

  const send = (
    method: "POST" | "HEAD",
    headers: Record<string, string>,
    body: Uint8Array,
    { signal, record }: Pick<CallContext, "signal" | "record">,
  ) => client.send({ method, url, headers: { ...fixedHeaders, ...headers }, body, signal, record });

  const deliver = async (row: Operation | null, context: CallContext) => {
    const { delivery } = context;
    if (delivery === undefined) throw new Fault("broken", "only an event of the journal can be sent");
    const body = Buffer.from(delivery.body);
    const { deployment } = settings;
    const headers = await requestHeaders({ delivery, body, now: clock.now(), deployment, keys });
    let answer: Answer;
    try {
      answer = await send("POST", headers, body, context);
    } catch (error) {
      throw faultOfError(error, redact);
    }
    return await judgeAnswer({ answer, row, rules: settings, redact, now: clock.now() });
  };

  const event = async (id: EventId, input: unknown, context: CallContext): Promise<AnyOutcome> => {
    const row = operationRow(id);
    const verdict = await deliver(row, context);
    if ("ok" in verdict) return verdict;
    if (row.data === undefined) return ok(null);
    const { update, ignored } = readUpdate(verdict.json, input);
    if (ignored !== null) {
      log.warn({ entry: context.delivery?.entryId, reason: redact(ignored) }, "the update in the answer was ignored");
    }
    return ok({ updateWorkOrderRequest: update });
  };

  const ownMessage = async (context: CallContext): Promise<AnyOutcome> => {
    const verdict = await deliver(null, context);
    return "ok" in verdict ? verdict : ok(null);
  };
  const derived = (options.derivedEvents ?? []).map(
    (id) => [id, (_input: unknown, context: CallContext) => ownMessage(context)] as const,
  );

  return {
    // Each operation has its own input and outcome type; a table of all operations cannot express that.
    operations: Object.fromEntries(
      eventIds.map((id) => [id, (input: unknown, context: CallContext) => event(id, input, context)]),
    ) as Events,
    returnsUpdates: settings.returnsUpdates,
    dryRun: async (_id, _input, { delivery }) => {
      if (delivery === undefined) return [];
      const body = Buffer.from(delivery.body);
      const { deployment } = settings;
      const headers = {
        ...fixedHeaders,
        ...(await requestHeaders({ delivery, body, now: clock.now(), deployment, keys })),
      };
      const shown = Object.entries(headers).map(([name, value]) => [name, redact(value)] as const);
      const content: unknown = JSON.parse(delivery.body);
      return [{ to: `POST ${redact(url.href)}`, headers: Object.fromEntries(shown), body: content }];
    },
    notices: (_topic, _payload, context) => ownMessage(context),
    // As above: each has its own input type.
    ...(derived.length === 0 ? {} : { derived: Object.fromEntries(derived) as DerivedEvents }),
    check: async () => {
      try {
        const { status } = await send("HEAD", {}, Buffer.alloc(0), new AbortController());
        if (status === 401 || status === 407)
          throw new Fault("unreachable", `the login was refused (status ${status})`);
      } catch (error) {
        throw faultOfError(error, redact);
      }
    },
    close: async () => client.close(),
  };
}

function checkRefusals(refusals: readonly { readonly result?: string | undefined }[]): void {
  const known = new Set(
    eventIds.map(operationRow).flatMap((row) => row.results.filter((name) => name !== row.success)),
  );
  for (const { result } of refusals) {
    if (result !== undefined && !known.has(result)) {
      throw new Fault("invalid", `refusals: no event has the result ${result}; there are ${[...known].join(", ")}`);
    }
  }
}

const eventRows = operationIds.filter((id): id is EventId => operationRow(id).kind === "event").map(operationRow);
const refusals = new Set(eventRows.flatMap((row) => row.results.filter((name) => name !== row.success)));

/** Checks that the schema cannot express: invalid URLs, and results that no event has. */
function validateOptions({ url, proxy, refusals: given = [], ...rest }: WebhookOptions): readonly OptionProblem[] {
  return [
    ...answerRuleProblems({ ...rest, refusals: given }, []),
    ...(URL.canParse(url)
      ? []
      : [{ path: ["url"], text: "this is not a valid URL", hint: "Example: https://erp.example.com/events." }]),
    ...proxyProblems(proxy),
    ...given.flatMap(({ result }, index) =>
      result === undefined || refusals.has(result)
        ? []
        : [
            {
              path: ["refusals", index, "result"],
              text: `no event has the result ${result}`,
              hint: `There are ${[...refusals].join(", ")}.`,
            },
          ],
    ),
  ];
}

/** Any receiver of HTTP requests: one signed POST per event, with the entry id as idempotency key. */
export const webhook = defineConnector({
  type: "webhook",
  summary: "Sends every event of the platform to a URL, one POST each.",
  options: webhookOptions,
  validate: validateOptions,
  offers: ({ derivedEvents = [] }) => ({
    operations: operationIds.filter((id): id is EventId => operationRow(id).kind === "event"),
    takesNotices: true,
    bringsIn: false,
    ...(derivedEvents.length === 0 ? {} : { derived: derivedEvents }),
  }),
  open: (options, context) => openWebhook(options, { ...context, ...systemNetwork }),
});
