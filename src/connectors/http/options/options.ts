import { type Static, Type } from "typebox";
import { type PushTopic, pushTopics } from "../../../contract/pushes.ts";
import { sentAuth } from "../../../http-client/auth/sent-auth.ts";
import { defaultTimeouts } from "../../../http-client/network/connection-pool.ts";
import { proxyOption } from "../../../http-client/network/proxy-choice.ts";
import { badRecordsOption } from "../../../operation/bad-records.ts";
import { presetNames } from "../../../presets/catalogue.ts";
import { fetchMembers, noticeOptions, operationOptions } from "./operation-options.ts";
import { requestMembers, successOptions } from "./request-options.ts";

const sinceOptions = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        description: "Where a record says when it was changed; absent: the time of the last poll counts.",
        minLength: 1,
      }),
    ),
    param: Type.Optional(
      Type.String({ description: "Query parameter; absent where `{since}` stands in the request.", minLength: 1 }),
    ),
    format: Type.Optional(
      Type.Unsafe<"iso" | "date" | "blank" | "epoch" | "epochMs">({
        type: "string",
        enum: ["iso", "date", "blank", "epoch", "epochMs"],
        description:
          "How the time is written: `2026-01-05T08:00:00Z` (iso, where absent), `2026-01-05` (date), `2026-01-05 08:00:00` (blank), seconds or milliseconds since 1970.",
      }),
    ),
    zone: Type.Optional(
      Type.String({
        description: "Zone of times without offset, both ways; the deployment's where absent.",
        minLength: 1,
      }),
    ),
    overlapSeconds: Type.Optional(
      Type.Integer({
        description: "How far to look back behind the latest change seen; 120 where absent.",
        minimum: 0,
        maximum: 604_800,
      }),
    ),
    start: Type.Optional(Type.String({ description: "Where the first poll begins; 1970 where absent.", minLength: 1 })),
  },
  {
    additionalProperties: false,
    description: "Asks only for what was changed since the last poll; absent: for everything.",
  },
);
export type SinceOptions = Static<typeof sinceOptions>;

const pollBadRecords = badRecordsOption("quarantine", {
  of: "the page it came with, and the next poll asks for it again",
  told: "it is listed by `crossdock quarantine`",
});

const pollOptions = Type.Object(
  {
    topic: Type.Unsafe<PushTopic>({ type: "string", enum: [...pushTopics], description: "What the records are." }),
    everySeconds: Type.Optional(
      Type.Integer({ description: "How long to wait after each poll; 60 where absent.", minimum: 1, maximum: 86_400 }),
    ),
    ...fetchMembers,
    compareEveryHours: Type.Optional(
      Type.Integer({
        description:
          "With `since`: how often everything from the start on is fetched and compared, to find what was missed; 24 where absent, 0: never.",
        minimum: 0,
        maximum: 8_760,
      }),
    ),
    since: Type.Optional(sinceOptions),
    badRecords: Type.Optional(pollBadRecords),
  },
  { additionalProperties: false },
);
export type PollOptions = Static<typeof pollOptions>;

const closed = { additionalProperties: false };
const milliseconds = (description: string, fallback: number) =>
  Type.Optional(
    Type.Integer({ description: `${description} ${fallback} where absent.`, minimum: 10, maximum: 600_000 }),
  );
const pem = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }));

export const limitDefaults = { maxAnswerMiB: 32, maxPages: 10_000, maxRecords: 200_000 } as const;
const limit = (description: string, fallback: number, maximum: number) =>
  Type.Optional(Type.Integer({ description: `${description} ${fallback} where absent.`, minimum: 1, maximum }));

export const httpOptions = Type.Object(
  {
    preset: Type.Optional(
      Type.Unsafe<string>({
        type: "string",
        enum: [...presetNames],
        description: "Ready options for a known ERP; what is written here goes before them, member by member.",
      }),
    ),
    baseUrl: Type.String({
      description: "Address in front of every path, http or https. Requests never go to another host.",
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
    auth: Type.Optional(sentAuth),
    tls: Type.Optional(
      Type.Object(
        {
          ca: pem("Certificates (PEM) to trust besides the usual ones."),
          cert: pem("Our own certificate (PEM), where the other side wants one."),
          key: pem("The key (PEM) of our certificate."),
        },
        { ...closed, description: "Certificates, where the usual ones are not enough." },
      ),
    ),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Headers of every request." })),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<string | number>({ type: ["string", "number"] }), {
        description: "Values of your own for placeholders, such as the name of the company: `{company}`.",
      }),
    ),
    timeouts: Type.Optional(
      Type.Object(
        {
          connectMs: milliseconds("Until the connection stands, name and TLS included.", defaultTimeouts.connectMs),
          headersMs: milliseconds("Until the answer begins.", defaultTimeouts.headersMs),
          totalMs: milliseconds("Until the answer is complete.", defaultTimeouts.totalMs),
        },
        { ...closed, description: "How long to wait, each counted from the beginning of a request." },
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          maxAnswerMiB: limit("Longest answer, counted unpacked.", limitDefaults.maxAnswerMiB, 256),
          maxPages: limit("Most pages of one list.", limitDefaults.maxPages, 100_000),
          maxRecords: limit("Most records of one list.", limitDefaults.maxRecords, 1_000_000),
        },
        { ...closed, description: "What is taken at most before a list counts as endless." },
      ),
    ),
    allowHosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description:
          "Hosts, addresses and networks (`10.1.0.0/16`) that may be connected to; absent: the host of `baseUrl` and of `tokenUrl`.",
      }),
    ),
    allowPrivate: Type.Optional(
      Type.Boolean({
        description:
          "Whether hosts may have private, loopback or link-local addresses. Absent: only where the address has it literally.",
      }),
    ),
    proxy: proxyOption,
    success: Type.Optional(successOptions),
    errorText: requestMembers.errorText,
    operations: Type.Optional(operationOptions),
    notices: Type.Optional(noticeOptions),
    poll: Type.Optional(
      Type.Array(pollOptions, {
        description: "What is fetched regularly and kept in the adapter, which then serves it.",
      }),
    ),
    checkPath: Type.Optional(
      Type.String({
        description: "Path that a connection test asks for; `baseUrl` itself where absent.",
        pattern: "^/",
      }),
    ),
  },
  closed,
);
export type HttpOptions = Static<typeof httpOptions>;
