import { type Static, Type } from "typebox";
import { type PushTopic, pushTopics } from "../../../contract/pushes.ts";
import {
  type AnswerRuleOptions,
  type AnswerRules,
  answerRuleMembers,
  compileRules,
} from "../../../http-client/answers/answer-rules.ts";
import { sentAuth } from "../../../http-client/auth/sent-auth.ts";
import { defaultTimeouts, type Timeouts } from "../../../http-client/network/connection-pool.ts";
import { proxyOption } from "../../../http-client/network/proxy-choice.ts";
import { badRecordsOption } from "../../../operation/bad-records.ts";
import { presetNames, presets } from "../../../presets/catalogue.ts";
import { fetchMembers, noticeOptions, operationOptions } from "./operation-options.ts";

const sinceOptions = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        description: "Path of the time of change in a record; default: the time of the last poll is used.",
        minLength: 1,
      }),
    ),
    param: Type.Optional(
      Type.String({ description: "Query parameter; not needed if the request contains `{since}`.", minLength: 1 }),
    ),
    format: Type.Optional(
      Type.Unsafe<"iso" | "date" | "blank" | "epoch" | "epochMs">({
        type: "string",
        enum: ["iso", "date", "blank", "epoch", "epochMs"],
        description:
          "Format of the time: `2026-01-05T08:00:00Z` (iso, the default), `2026-01-05` (date), `2026-01-05 08:00:00` (blank), seconds or milliseconds since 1970.",
      }),
    ),
    zone: Type.Optional(
      Type.String({
        description: "Time zone of times without offset, sent and received; default: the deployment's.",
        minLength: 1,
      }),
    ),
    overlapSeconds: Type.Optional(
      Type.Integer({
        description: "How far each poll goes back before the latest change seen; default: 120.",
        minimum: 0,
        maximum: 604_800,
      }),
    ),
    start: Type.Optional(Type.String({ description: "Start time of the first poll; default: 1970.", minLength: 1 })),
  },
  {
    additionalProperties: false,
    description: "Fetches only what changed since the last poll; default: everything.",
  },
);
export type SinceOptions = Static<typeof sinceOptions>;

const pollBadRecords = badRecordsOption("quarantine", {
  of: "the page it came with, and the next poll asks for it again",
  shown: "it is listed by `crossdock quarantine`",
});

const pollOptions = Type.Object(
  {
    topic: Type.Unsafe<PushTopic>({ type: "string", enum: [...pushTopics], description: "What the records are." }),
    everySeconds: Type.Optional(
      Type.Integer({ description: "How long to wait after each poll; default: 60.", minimum: 1, maximum: 86_400 }),
    ),
    ...fetchMembers,
    compareEveryHours: Type.Optional(
      Type.Integer({
        description:
          "With `since`: how often everything since `start` is fetched and compared, to find missed changes; default: 24; 0: never.",
        minimum: 0,
        maximum: 8_760,
      }),
    ),
    since: Type.Optional(sinceOptions),
    ignoreOwn: Type.Optional(
      Type.Boolean({
        description:
          "For `workOrders` whose lines show what is left to do: what the adapter has booked of them is added again, so that its own bookings are no change. Confirmed steps must be booked at this system. Default: false.",
      }),
    ),
    badRecords: Type.Optional(pollBadRecords),
  },
  { additionalProperties: false },
);
export type PollOptions = Static<typeof pollOptions>;

const closed = { additionalProperties: false };
const milliseconds = (description: string, fallback: number) =>
  Type.Optional(Type.Integer({ description: `${description} Default: ${fallback}.`, minimum: 10, maximum: 600_000 }));
const pem = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }));

const limitDefaults = { maxAnswerMiB: 32, maxPages: 10_000, maxRecords: 200_000 } as const;
const limit = (description: string, fallback: number, maximum: number) =>
  Type.Optional(Type.Integer({ description: `${description} Default: ${fallback}.`, minimum: 1, maximum }));

export const httpOptions = Type.Object(
  {
    preset: Type.Optional(
      Type.Unsafe<string>({
        type: "string",
        enum: [...presetNames],
        description: "Ready-made options for a known ERP; options written here override them, member by member.",
      }),
    ),
    baseUrl: Type.String({
      description: "Base URL of every path, http or https. Requests never go to another host.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
    auth: Type.Optional(sentAuth),
    tls: Type.Optional(
      Type.Object(
        {
          ca: pem("Certificates (PEM) to trust besides the usual ones."),
          cert: pem("Client certificate (PEM), if the server requires one."),
          key: pem("Key (PEM) of the client certificate."),
        },
        { ...closed, description: "TLS certificates, if the system's are not enough." },
      ),
    ),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Headers of every request." })),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<string | number>({ type: ["string", "number"] }), {
        description: "Your own values for placeholders, such as `{company}` for the name of the company.",
      }),
    ),
    timeouts: Type.Optional(
      Type.Object(
        {
          connectMs: milliseconds(
            "Until the connection is established, including DNS and TLS.",
            defaultTimeouts.connectMs,
          ),
          headersMs: milliseconds("Until the answer begins.", defaultTimeouts.headersMs),
          totalMs: milliseconds("Until the answer is complete.", defaultTimeouts.totalMs),
        },
        { ...closed, description: "Timeouts, each counted from the start of the request." },
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          maxAnswerMiB: limit("Longest answer, counted unpacked.", limitDefaults.maxAnswerMiB, 256),
          maxPages: limit("Largest number of pages of one list.", limitDefaults.maxPages, 100_000),
          maxRecords: limit("Largest number of records of one list.", limitDefaults.maxRecords, 1_000_000),
        },
        { ...closed, description: "Limits beyond which a list counts as endless and fails." },
      ),
    ),
    allowHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Hosts, addresses and networks (`10.1.0.0/16`) that connections are allowed to; default: the hosts of `baseUrl` and `tokenUrl`.",
      }),
    ),
    allowPrivate: Type.Optional(
      Type.Boolean({
        description:
          "Whether hosts may resolve to private, loopback or link-local addresses. Default: only if the URL itself contains such an address.",
      }),
    ),
    imageHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Hosts, besides that of `baseUrl`, from which an image is fetched if an answer has its address (`cdn.example.com`). Default: none. No login is sent there.",
      }),
    ),
    proxy: proxyOption,
    ...answerRuleMembers,
    operations: Type.Optional(operationOptions),
    notices: Type.Optional(noticeOptions),
    poll: Type.Optional(
      Type.Array(pollOptions, {
        description: "Lists that are fetched at an interval, stored in the adapter and served from there.",
      }),
    ),
    checkPath: Type.Optional(
      Type.String({
        description: "Path that the connection test requests; default: `baseUrl` itself.",
        pattern: "^/",
      }),
    ),
  },
  closed,
);
export type HttpOptions = Static<typeof httpOptions>;

export interface HttpSettings extends Omit<HttpOptions, "timeouts" | "limits" | "preset"> {
  readonly timeouts: Timeouts;
  readonly limits: { readonly maxAnswerMiB: number; readonly maxPages: number; readonly maxRecords: number };
}

/** The options merged over their preset. Merged before the check, because a preset may provide required options. */
export function withPreset(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const preset = presets.find(({ name }) => name === given["preset"]);
  const { auth, ...rest } = preset?.options ?? {};
  // Options of the preset's kind of login do not exist for another kind.
  const under = hasOtherKind(auth, given["auth"]) ? rest : (preset?.options ?? {});
  // Merging two objects gives an object.
  return mergeOptions(under, given) as Record<string, unknown>;
}

const hasOtherKind = (under: unknown, over: unknown): boolean =>
  isObject(under) && isObject(over) && over["kind"] !== undefined && over["kind"] !== under["kind"];

/** The options merged over their preset, with all defaults filled in. */
export function settingsOf(given: HttpOptions): HttpSettings {
  // A test checks each preset against the same schema, and merging keeps the type of each member.
  const { timeouts, limits, preset: _name, ...rest } = withPreset(given) as HttpOptions;
  return { ...rest, timeouts: { ...defaultTimeouts, ...timeouts }, limits: { ...limitDefaults, ...limits } };
}

interface RuleNeeds {
  readonly settings: AnswerRuleOptions;
  readonly request: AnswerRuleOptions;
  /** The event that a step belongs to. */
  readonly event?: AnswerRuleOptions;
}

/**
 * The rules for answers to one request: its own, otherwise its event's, otherwise the connector's. Each rule is taken
 * as a whole.
 */
export const rulesOf = ({ settings, request, event = {} }: RuleNeeds): AnswerRules =>
  compileRules([request, event, settings]);

/** Merges the options over a preset's: objects member by member, everything else as a whole. */
export function mergeOptions(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isObject(under) || !isObject(over)) return over;
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries([...names].map((name) => [name, mergeOptions(own(under, name), own(over, name))]));
}

const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
