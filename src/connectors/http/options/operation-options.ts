import { type Static, type TObject, Type } from "typebox";
import { type EventId, operationIds, operationRow, type QueryId } from "../../../contract/operations.ts";
import { answerRuleMembers } from "../../../http-client/answers/answer-rules.ts";
import { mappingSchema } from "../../../mapping/compile-mapping.ts";
import { pageOptions } from "../queries/page-options.ts";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });
const scalar = (description: string) =>
  Type.Unsafe<string | number | boolean | null>({ type: ["string", "number", "boolean", "null"], description });

/** A request as configured. Its texts may contain `{placeholders}`. */
export const requestMembers = {
  method: Type.Optional(
    Type.Unsafe<"GET" | "POST" | "PUT" | "PATCH" | "DELETE">({
      type: "string",
      enum: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      description: "Method; default: GET for queries, POST for events.",
    }),
  ),
  path: Type.String({
    description: "Path below `baseUrl`, such as `/orders/{code}`; values of placeholders are percent-encoded.",
    pattern: "^/",
  }),
  query: Type.Optional(
    Type.Record(Type.String(), Type.Unsafe<unknown>({}), {
      description:
        "Query parameters. A list or an object is sent as JSON. A parameter is omitted if all its placeholders are empty.",
    }),
  ),
  headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Headers of this request." })),
  body: Type.Optional(
    Type.Unsafe<unknown>({
      description:
        "JSON body; its texts may contain placeholders. A text that is only `{name}` is replaced by the value with its type.",
    }),
  ),
  ...answerRuleMembers,
};

const requestOptions = Type.Object(requestMembers, { additionalProperties: false });
export type RequestOptions = Static<typeof requestOptions>;

const whenOptions = Type.Object(
  {
    path: Type.String({
      description: "What is tested: a member of the event, or of an earlier answer (`steps[0].id`).",
      minLength: 1,
    }),
    equals: Type.Optional(scalar("Value that it must have; default: anything but false, null and missing.")),
  },
  {
    additionalProperties: false,
    description: "Condition for sending. If it is not met, nothing is sent and the event counts as delivered.",
  },
);
export type WhenOptions = Static<typeof whenOptions>;

const detailOptions = Type.Object(
  {
    path: requestMembers.path,
    query: requestMembers.query,
    records: Type.Optional(
      Type.String({ description: "Path of the record in that answer; default: the answer itself." }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "One more GET per record, for lists without the lines: `{record…}` is the record; the answer replaces it.",
  },
);
export type DetailOptions = Static<typeof detailOptions>;

// Only an event can have been processed before.
const { alreadyProcessed: _statuses, alreadyProcessedWhen: _answers, ...askedMembers } = requestMembers;
/** What is fetched: a request, the path of its records, and how each is mapped. */
export const fetchMembers = {
  ...askedMembers,
  records: Type.Optional(
    Type.String({
      description: "Path of the list of records in the answer, such as `data.items`; default: the answer itself.",
    }),
  ),
  detail: Type.Optional(detailOptions),
  page: Type.Optional(pageOptions),
  map: Type.Optional(mappingSchema),
};

const notFoundOptions = Type.Object(
  {
    status: Type.Optional(Type.Array(httpStatus, { description: "Statuses that mean there is none; default: 404." })),
    path: Type.Optional(Type.String({ description: "Member of the answer that means there is none.", minLength: 1 })),
    equals: Type.Optional(
      Type.Unsafe<string | number | boolean | null>({
        type: ["string", "number", "boolean", "null"],
        description: "Value that the member must have; default: anything but false, null and missing.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "Which answers mean that there is none. An empty list always does.",
  },
);

const queryOptions = Type.Object(
  { ...fetchMembers, notFound: Type.Optional(notFoundOptions) },
  { additionalProperties: false },
);
export type QueryOptions = Static<typeof queryOptions>;

const stepOptions = Type.Object(
  { ...requestOptions.properties, when: Type.Optional(whenOptions) },
  { additionalProperties: false },
);

export const eventOptions = Type.Object(
  {
    ...requestMembers,
    path: Type.Optional(requestMembers.path),
    map: Type.Optional(mappingSchema),
    when: Type.Optional(whenOptions),
    each: Type.Optional(
      Type.String({
        description:
          "One request per element of this list of the event; the element is `{element…}`, the event itself is `{input…}`.",
        minLength: 1,
      }),
    ),
    steps: Type.Optional(
      Type.Array(stepOptions, {
        description:
          "Several requests in order instead of one; earlier answers are `{steps[0]…}`. All are repeated when one fails.",
      }),
    ),
    idempotencyHeader: Type.Optional(
      Type.String({ description: "Header that carries the entry id; default: `Idempotency-Key`.", minLength: 1 }),
    ),
  },
  { additionalProperties: false },
);
export type EventOptions = Static<typeof eventOptions>;

const { refusals: _none, ...noticeMembers } = eventOptions.properties;
/** The adapter's own messages: no operator waits for the answer, so refusals make no sense here. */
export const noticeOptions = Type.Object(noticeMembers, {
  additionalProperties: false,
  description:
    "The request for the adapter's own messages, such as the receipt of a change: `{input…}` is the body. " +
    "Default: nothing is sent.",
});
export type NoticeOptions = Static<typeof noticeOptions>;

/** The adapter itself reads uploaded files; no request is needed for that. */
const isFileQuery = (id: string) => id === "parseWorkOrderFile" || id === "parseItemFile";
export const offeredQueries = operationIds.filter(
  (id): id is QueryId => operationRow(id).kind === "query" && id !== "getStatus" && !isFileQuery(id),
);
export const offeredEvents = operationIds.filter((id): id is EventId => operationRow(id).kind === "event");

const described = <T extends TObject>(schema: T, id: QueryId | EventId) =>
  Type.Optional({ ...schema, description: operationRow(id).summary });

export type OperationOptions = { readonly [Id in QueryId]?: QueryOptions } & {
  readonly [Id in EventId]?: EventOptions;
};

/** One member per operation of the contract: a wrong name is refused, and the most similar name is suggested. */
export const operationOptions = Type.Unsafe<OperationOptions>(
  Type.Object(
    Object.fromEntries([
      ...offeredQueries.map((id) => [id, described(queryOptions, id)] as const),
      ...offeredEvents.map((id) => [id, described(eventOptions, id)] as const),
    ]),
    {
      additionalProperties: false,
      description: "The request for each operation; operations without one are not offered.",
    },
  ),
);
