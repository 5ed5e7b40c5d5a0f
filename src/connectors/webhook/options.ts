import { type Static, Type } from "typebox";
import { type AnswerRules, conditionOptions, ruleDefaults } from "../../http-client/answers/answer-rules.ts";
import { defaultTimeouts } from "../../http-client/network/connection-pool.ts";
import { proxyOption } from "../../http-client/network/proxy-choice.ts";

const optionDefaults = {
  ...ruleDefaults,
  ...defaultTimeouts,
  deployment: "crossdock",
  returnsUpdates: false,
} as const;

type Filled<Group> = { readonly [Key in keyof Group]-?: Exclude<Group[Key], undefined> };

/** The options with everything that has a default filled in. */
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
    status: Type.Optional(
      Type.Array(httpStatus, { description: "The statuses that are a success; absent: every 2xx." }),
    ),
    mediaType: Type.Optional(
      Type.String({
        description: "Media type a filled answer must have; `*/*` takes any.",
        default: optionDefaults.mediaType,
      }),
    ),
    allowEmpty: Type.Optional(
      Type.Boolean({ description: "Whether an empty answer is a success.", default: optionDefaults.allowEmpty }),
    ),
    jsonPath: Type.Optional(
      Type.String({
        description: "Member of the JSON answer that must be there, such as `status.code`.",
        minLength: 1,
      }),
    ),
    equals: Type.Optional(
      Type.Unsafe<string | number | boolean | null>({
        type: ["string", "number", "boolean", "null"],
        description: "What that member must be; absent: anything but false, null and missing.",
      }),
    ),
  },
  { additionalProperties: false, description: "What counts as delivered." },
);

const refusal = Type.Object(
  {
    status: httpStatus,
    code: Type.Optional(Type.String({ description: "Only where the JSON answer has this code." })),
    codePath: Type.Optional(
      Type.String({ description: "Where the code stands in the answer.", default: optionDefaults.codePath }),
    ),
    result: Type.String({ description: "Name of the result the platform gets, such as `WorkOrderAlreadyAttached`." }),
  },
  { additionalProperties: false },
);

export const webhookOptions = Type.Object(
  {
    url: Type.String({
      description: "Where every event is sent to, http or https.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
    deployment: Type.Optional(
      Type.String({
        description: "Name of this installation, sent as the source of each event.",
        default: optionDefaults.deployment,
        minLength: 1,
      }),
    ),
    secrets: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Secrets to sign with, `whsec_…` or plain text. Several while one is being replaced: each signs.",
        default: [],
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Further headers, the same on every request, such as `authorization`.",
        default: {},
      }),
    ),
    timeouts: Type.Optional(
      Type.Object(
        {
          connectMs: milliseconds("Until the connection stands, name and TLS included.", optionDefaults.connectMs),
          headersMs: milliseconds("Until the answer begins.", optionDefaults.headersMs),
          totalMs: milliseconds("Until the answer is complete.", optionDefaults.totalMs),
        },
        { additionalProperties: false, description: "How long to wait, each counted from the beginning." },
      ),
    ),
    success: Type.Optional(success),
    alreadyProcessed: statuses("Statuses that say the event is known there already: it counts as delivered."),
    alreadyProcessedWhen: conditionOptions(
      "Answers that say the same by a code or another member, also with status 200.",
    ),
    tryLaterWhen: conditionOptions(
      "Answers that say `not now`, also with status 200: the event waits and is sent again, and is not to blame.",
    ),
    targetTrouble: statuses(
      "Statuses, besides 5xx, that mean the receiver as a whole is in trouble: the event waits and is not to blame.",
      optionDefaults.targetTrouble,
    ),
    passing: statuses("Statuses of an event that are worth a few quick tries.", optionDefaults.passing),
    refusals: Type.Optional(
      Type.Array(refusal, { description: "Which answers are a no that the operator is told.", default: [] }),
    ),
    allowHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Hosts, addresses and networks (`10.1.0.0/16`) that may be connected to; absent: the host of `url`.",
      }),
    ),
    allowPrivate: Type.Optional(
      Type.Boolean({
        description:
          "Whether the host may have a private, loopback or link-local address. Absent: only where `url` has it literally.",
      }),
    ),
    proxy: proxyOption,
    returnsUpdates: Type.Optional(
      Type.Boolean({
        description:
          "Whether answers to step confirmations may change the running order: then the platform waits for them.",
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
