import { type Static, Type } from "typebox";
import { type DerivedEventId, derivedEventIds } from "../../contract/derived-events.ts";
import {
  type AnswerRules,
  answerRuleMembers,
  compileRules,
  ruleDefaults,
} from "../../http-client/answers/answer-rules.ts";
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
  const { connectMs, headersMs, totalMs } = optionDefaults;
  return {
    url: options.url,
    deployment: options.deployment ?? optionDefaults.deployment,
    secrets: options.secrets ?? [],
    headers: options.headers ?? {},
    timeouts: { connectMs, headersMs, totalMs, ...options.timeouts },
    ...compileRules([options], {
      targetTrouble: options.targetTrouble ?? optionDefaults.targetTrouble,
      passing: options.passing ?? optionDefaults.passing,
    }),
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
    ...answerRuleMembers,
    targetTrouble: statuses(
      "Statuses, besides 5xx, that mean the whole receiver is down: the event is retried, and the failure is not counted against it.",
      optionDefaults.targetTrouble,
    ),
    passing: statuses(
      "Statuses of temporary failures of one event: it is retried a few times quickly.",
      optionDefaults.passing,
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
