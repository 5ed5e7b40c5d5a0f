import { type Static, Type } from "typebox";
import { type DerivedEventId, derivedEventIds } from "../../contract/derived-events.ts";
import { type AnswerRules, conditionOptions, ruleDefaults } from "../../http-client/answers/judge-answer.ts";
import { defaultTimeouts } from "../../http-client/network/connection-pool.ts";
import { proxyOption } from "../../http-client/network/proxy-choice.ts";

const optionDefaults = {
  ...ruleDefaults,
  ...defaultTimeouts,
  deployment: "crossdock",
  returnsUpdates: false,
} as const;

type Filled<Group> = { readonly [Key in keyof Group]-?: Exclude<Group[Key], undefined> };

/** The options with all defaults filled in. */
interface WebhookSettings
  extends AnswerRules,
    Filled<Pick<WebhookOptions, "url" | "deployment" | "secrets" | "headers">> {
  readonly timeouts: Filled<NonNullable<WebhookOptions["timeouts"]>>;
  readonly allowHosts: readonly string[] | undefined;
  readonly allowPrivate: boolean | undefined;
  readonly proxy: string | undefined;
  readonly returnsUpdates: boolean;
  readonly ca: string | undefined;
}

export function withDefaults(options: WebhookOptions): WebhookSettings {
  const { connectMs, headersMs, totalMs, mediaType, allowEmpty } = optionDefaults;
  return {
    url: options.url,
    deployment: options.deployment ?? optionDefaults.deployment,
    secrets: options.secrets ?? [],
    headers: options.headers ?? {},
    timeouts: { connectMs, headersMs, totalMs, ...options.timeouts },
    success: { mediaType, allowEmpty, ...options.success },
    alreadyProcessed: options.alreadyProcessed ?? [],
    alreadyProcessedWhen: options.alreadyProcessedWhen,
    tryLaterWhen: options.tryLaterWhen,
    targetTrouble: options.targetTrouble ?? [...optionDefaults.targetTrouble],
    passing: options.passing ?? [...optionDefaults.passing],
    refusals: options.refusals ?? [],
    messagePaths: optionDefaults.messagePaths,
    allowHosts: options.allowHosts,
    allowPrivate: options.allowPrivate,
    proxy: options.proxy,
    returnsUpdates: options.returnsUpdates ?? optionDefaults.returnsUpdates,
    ca: options.ca,
  };
}

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });
const statuses = (description: string, fallback: readonly number[] = []) =>
  Type.Optional(Type.Array(httpStatus, { description, default: [...fallback] }));
const milliseconds = (description: string, fallback: number) =>
  Type.Optional(Type.Integer({ description, default: fallback, minimum: 10, maximum: 600_000 }));

const success = Type.Object(
  {
    status: Type.Optional(Type.Array(httpStatus, { description: "Statuses that are a success; default: every 2xx." })),
    mediaType: Type.Optional(
      Type.String({
        description: "Media type of an answer with a body; `*/*` accepts any.",
        default: optionDefaults.mediaType,
      }),
    ),
    allowEmpty: Type.Optional(
      Type.Boolean({ description: "Whether an empty answer is a success.", default: optionDefaults.allowEmpty }),
    ),
    jsonPath: Type.Optional(
      Type.String({
        description: "Member that the JSON answer must have, such as `status.code`.",
        minLength: 1,
      }),
    ),
    equals: Type.Optional(
      Type.Unsafe<string | number | boolean | null>({
        type: ["string", "number", "boolean", "null"],
        description: "Value that the member must have; default: anything but false, null and missing.",
      }),
    ),
  },
  { additionalProperties: false, description: "Which answers count as delivered." },
);

const refusal = Type.Object(
  {
    status: httpStatus,
    code: Type.Optional(Type.String({ description: "Only if the JSON answer has this code." })),
    codePath: Type.Optional(
      Type.String({ description: "Path of the code in the answer.", default: optionDefaults.codePath }),
    ),
    result: Type.String({
      description: "Name of the result that is sent to the platform, such as `WorkOrderAlreadyAttached`.",
    }),
  },
  { additionalProperties: false },
);

export const webhookOptions = Type.Object(
  {
    url: Type.String({
      description: "URL that every event is sent to, http or https.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
    deployment: Type.Optional(
      Type.String({
        description: "Name of this installation; sent as the source of each event.",
        default: optionDefaults.deployment,
        minLength: 1,
      }),
    ),
    secrets: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Signing secrets, `whsec_…` or plain text. Set several while one is being replaced: each adds a signature.",
        default: [],
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Additional headers of every request, such as `authorization`.",
        default: {},
      }),
    ),
    timeouts: Type.Optional(
      Type.Object(
        {
          connectMs: milliseconds(
            "Until the connection is established, including DNS and TLS.",
            optionDefaults.connectMs,
          ),
          headersMs: milliseconds("Until the answer begins.", optionDefaults.headersMs),
          totalMs: milliseconds("Until the answer is complete.", optionDefaults.totalMs),
        },
        { additionalProperties: false, description: "Timeouts, each counted from the start of the request." },
      ),
    ),
    success: Type.Optional(success),
    alreadyProcessed: statuses("Statuses that mean the event was already processed: it counts as delivered."),
    alreadyProcessedWhen: conditionOptions(
      "Answers that mean the same by a code or another member, also with status 200.",
    ),
    tryLaterWhen: conditionOptions(
      'Answers that mean "not now", also with status 200: the event is retried every minute at least, and only events of the same order or container wait for it.',
    ),
    targetTrouble: statuses(
      "Statuses, besides 5xx, that mean the whole receiver is down: the event is retried, and the failure is not counted against it.",
      optionDefaults.targetTrouble,
    ),
    passing: statuses(
      "Statuses of temporary failures of one event: it is retried a few times quickly.",
      optionDefaults.passing,
    ),
    refusals: Type.Optional(
      Type.Array(refusal, { description: "Which answers are refusals that are shown to the operator.", default: [] }),
    ),
    allowHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Hosts, addresses and networks (`10.1.0.0/16`) that connections are allowed to; default: the host of `url`.",
      }),
    ),
    allowPrivate: Type.Optional(
      Type.Boolean({
        description:
          "Whether the host may resolve to a private, loopback or link-local address. Default: only if `url` itself contains such an address.",
      }),
    ),
    proxy: proxyOption,
    derivedEvents: Type.Optional(
      Type.Array(Type.Unsafe<DerivedEventId>({ type: "string", enum: [...derivedEventIds] }), {
        description:
          "Events of the adapter's own that are sent too: `orderFinished`, `containerFinished`. A receiver that does not know them would refuse them.",
        default: [],
      }),
    ),
    returnsUpdates: Type.Optional(
      Type.Boolean({
        description:
          "Whether answers to step confirmations may change the running order. If true, the platform waits for these answers.",
        default: optionDefaults.returnsUpdates,
      }),
    ),
    ca: Type.Optional(
      Type.String({
        description: "Certificates (PEM) to trust besides the usual ones, for a receiver with its own CA.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type WebhookOptions = Static<typeof webhookOptions>;
