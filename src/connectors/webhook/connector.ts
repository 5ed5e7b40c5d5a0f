import type { Operation } from "../../contract/operation.ts";
import { type EventId, operationIds, operationRow } from "../../contract/operations.ts";
import { answerRuleProblems } from "../../http-client/answers/answer-rules.ts";
import { faultOfError, judgeAnswer } from "../../http-client/answers/judge-answer.ts";
import type { Answer } from "../../http-client/answers/read-body.ts";
import { httpClient, recordingClient, staticHeaders } from "../../http-client/http-client.ts";
import { type Network, proxyProblems, proxySecrets, systemNetwork } from "../../http-client/network/proxy-choice.ts";
import { masker, redactor } from "../../http-client/redact.ts";
import { tracedClient } from "../../http-client/traced-client.ts";
import { textInTurns } from "../../kit/json/bytes-in-turns.ts";
import { meantSentence } from "../../kit/nearest-name.ts";
import { Fault } from "../../operation/fault.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { type AnyOutcome, ok } from "../../operation/outcome.ts";
import { sentDigits, withAllDigits } from "../../operation/platform-ids.ts";
import { readUpdate } from "../../operation/read-update.ts";
import {
  type CallContext,
  type DerivedEvents,
  type DryRun,
  defineConnector,
  type Events,
  type OpenConnector,
  type OpenContext,
} from "../../sdk/connector.ts";
import { type WebhookOptions, webhookOptions, withDefaults } from "./options.ts";
import { requestHeaders, signingKey } from "./request-headers.ts";

/** Larger answers are cut: no expected answer is longer. */
const maxAnswerBytes = 1024 * 1024;
/** Headers that each event sets itself. */
const own = /^(content-type|content-digest|accept-encoding|idempotency-key|(webhook|ce|crossdock)-.*)$/;
const eventIds = operationIds.filter((id): id is EventId => operationRow(id).kind === "event");

export interface WebhookNeeds extends Pick<OpenContext, "clock" | "log" | "tracing">, Network {}

/** Sends every entry as one POST to one URL. */
export function openWebhook(options: WebhookOptions, { clock, log, tracing, ...network }: WebhookNeeds): OpenConnector {
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
  // The limit applies to the received bytes; a compressed answer could expand beyond it, so compression is not
  // accepted.
  const limits = { timeouts, maxAnswerBytes, decodes: false };
  const { resolve, environment } = network;
  const connection = { allowHosts, allowPrivate, proxy, tls: { ca }, resolve, environment };
  const recording = recordingClient(httpClient({ url, ...connection, ...limits }), masker(known));
  const client = tracedClient(recording, tracing);

  const send = (
    method: "POST" | "HEAD",
    headers: Record<string, string>,
    body: Uint8Array,
    { signal, record }: Pick<CallContext, "signal" | "record">,
  ) =>
    client.send({
      ...{ method, url, headers: { ...fixedHeaders, ...headers }, body, signal, record },
      // A receiver of webhooks has to recognise the entry id, so sending twice changes nothing.
      isRepeatable: true,
    });

  const deliver = async (row: Operation | null, context: CallContext) => {
    const { delivery } = context;
    if (delivery === undefined) throw new Fault("broken", "only an event of the journal can be sent");
    const body = await textInTurns(delivery.body);
    const { deployment } = settings;
    const headers = await requestHeaders({ delivery, body, now: clock.now(), deployment, keys });
    let answer: Answer;
    try {
      answer = await send("POST", headers, body, context);
    } catch (error) {
      throw faultOfError(error, redact);
    }
    const verdict = await judgeAnswer({ answer, row, rules: settings, redact, now: clock.now() });
    return "ok" in verdict ? verdict : { json: verdict.json, bytes: answer.body };
  };

  const event = async (id: EventId, input: unknown, context: CallContext): Promise<AnyOutcome> => {
    const row = operationRow(id);
    const verdict = await deliver(row, context);
    if ("ok" in verdict) return verdict;
    if (row.data === undefined) return ok(null);
    const sent = await sentDigits(context.delivery?.body ?? "");
    // Usually long numbers are read as texts; here numbers and texts must stay different.
    const json = sent.size === 0 ? verdict.json : await withAllDigits(verdict.bytes).catch(() => verdict.json);
    const { update, ignored } = readUpdate(json, input, sent);
    if (ignored !== null) {
      log.warn({ entry: context.delivery?.entryId, reason: redact(ignored) }, "the update in the answer was ignored");
    }
    return ok({ updateWorkOrderRequest: update });
  };

  const ownMessage = async (context: CallContext): Promise<AnyOutcome> => {
    const verdict = await deliver(null, context);
    return "ok" in verdict ? verdict : ok(null);
  };
  const requestFor = async ({ delivery }: CallContext): Promise<readonly DryRun[]> => {
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
    dryRun: (_id, _input, context) => requestFor(context),
    dryRunNotice: (_topic, _payload, context) => requestFor(context),
    notices: (_topic, _payload, context) => ownMessage(context),
    warnings: filledHeaders(settings.headers),
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

/** What a connector of type http would fill in. A dollar sign before it is one that the configuration has doubled. */
const placeholder = /(?<!\$)\{[A-Za-z][\w.]*\}/;

const filledAddress: OptionProblem = {
  path: ["url"],
  text: "every event goes to the same address, so nothing is filled in between { and }",
  hint: "For an address with members of the event use a connector of type http. A brace of the address itself is written %7B or %7D.",
};

/** Headers with what would be a placeholder in a connector of type http. Their values may be secret. */
const filledHeaders = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    placeholder.test(value)
      ? [
          `headers.${name}: headers are the same for every event, so the text between { and } is sent as it is written; for members of the event use a connector of type http`,
        ]
      : [],
  );

/** Checks that the schema cannot express: invalid URLs, and results that no event has. */
function validateOptions({ url, proxy, refusals: given = [], ...rest }: WebhookOptions): readonly OptionProblem[] {
  return [
    ...answerRuleProblems({ ...rest, refusals: given }, []),
    ...(URL.canParse(url)
      ? []
      : [{ path: ["url"], text: "this is not a valid URL", hint: "Example: https://erp.example.com/events." }]),
    ...(placeholder.test(url) ? [filledAddress] : []),
    ...proxyProblems(proxy),
    ...given.flatMap(({ result }, index) =>
      result === undefined || refusals.has(result)
        ? []
        : [
            {
              path: ["refusals", index, "result"],
              text: `no event has the result ${result}`,
              hint: `${meantSentence(result, [...refusals])}There are ${[...refusals].join(", ")}.`,
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
