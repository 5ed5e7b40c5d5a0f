import { type Static, type TObject, Type } from "typebox";
import { type DerivedEventId, derivedMembers } from "../../../contract/derived-events.ts";
import { type EventId, operationIds, operationRow, type QueryId } from "../../../contract/operations.ts";
import { conditionMembers } from "../../../http-client/answers/answer-condition.ts";
import { answerRuleMembers } from "../../../http-client/answers/answer-rules.ts";
import { mappingSchema } from "../../../mapping/compile-mapping.ts";
import { whereOption } from "../../../mapping/record-filter.ts";
import { pageOptions } from "../queries/page-options.ts";
import { whenOptions } from "../steps/condition-options.ts";

export type { WhenOptions } from "../steps/condition-options.ts";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });

/** A request as configured. Its texts may contain `{placeholders}`. */
const requestMembers = {
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

// Only an event can have been processed before, so queries lack these two options.
const { alreadyProcessed: _statuses, alreadyProcessedWhen: _answers, ...askedMembers } = requestMembers;
/** The options for fetching: a request, the path of its records, and how each record is mapped. */
export const fetchMembers = {
  ...askedMembers,
  records: Type.Optional(
    Type.String({
      description: "Path of the list of records in the answer, such as `data.items`; default: the answer itself.",
    }),
  ),
  detail: Type.Optional(detailOptions),
  page: Type.Optional(pageOptions),
  where: whereOption("Which records are used, as `map` reads them"),
  map: Type.Optional(mappingSchema),
  lineKey: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description:
        "Members of a mapped line that stay the same while its order is worked on, such as `[itemNumber, lotNumber]`, for systems that give a line a new id when it is split or planned again. `requestExternalIdentifier` is made from them; the id is kept as `id` in `requestExternalData`.",
    }),
  ),
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

const alreadyDoneOptions = Type.Object(
  {
    request: Type.Object(askedMembers, {
      additionalProperties: false,
      description: "The request that asks; default method: GET. Its placeholders are those of the step.",
    }),
    when: whenOptions(
      "The answer (`answer…`) that means the request has already taken effect: then it is not sent again.",
    ),
    answer: Type.Optional(
      Type.String({
        description:
          "What later steps see as the answer of this step: a path in the answer, or an expression (`= answer.items[0]`); default: the whole answer.",
        minLength: 1,
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "For a request that the system would execute twice: asked before every repeat whose first sending may have arrived, " +
      "such as after a kill or a time-out. Never asked before the first sending.",
  },
);
export type AlreadyDoneOptions = Static<typeof alreadyDoneOptions>;

const eachMember = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }));

/** The options that every request of an event may have, whether it is the only one or one of several. */
const sendingMembers = {
  map: Type.Optional(mappingSchema),
  timeoutMs: Type.Optional(
    Type.Integer({
      description: "How long this request may take; default: `timeouts` of the connector.",
      minimum: 10,
      maximum: 600_000,
    }),
  ),
  expect: Type.Optional(
    whenOptions(
      "What the answer (`answer…`) must say besides being a success, such as `= answer.order = workOrderNumber`. Otherwise delivery stops here, and nothing is sent again.",
    ),
  ),
  alreadyDone: Type.Optional(alreadyDoneOptions),
};

const stepOptions = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        description: "Name of the step, for `{steps.NAME…}` and the timeline; default: `step1`, `step2`, …",
        pattern: "^[A-Za-z][A-Za-z0-9_]*$",
        maxLength: 40,
      }),
    ),
    ...requestMembers,
    path: Type.Optional({
      ...requestMembers.path,
      description:
        "Path below `baseUrl`, such as `/orders/{code}`; values of placeholders are percent-encoded. Without it nothing is sent: " +
        "the result of `map` is the answer of the step, for what later steps need more than once.",
    }),
    ...sendingMembers,
    onlyReads: Type.Optional(
      Type.Boolean({
        description:
          "Whether the request changes nothing, although its method is not GET, as with JSON-RPC and GraphQL: then it is sent " +
          "again whenever that helps, and nothing is noted or asked before. Default: false.",
      }),
    ),
    startOverWhen: Type.Optional(
      Type.Array(Type.Object(conditionMembers, { additionalProperties: false, minProperties: 1 }), {
        description:
          "Answers that mean what earlier steps have read is out of date, such as a lost race or a record that was replaced: " +
          "the next attempt begins with the first step again, a few times in quick succession.",
        minItems: 1,
      }),
    ),
    when: Type.Optional(whenOptions("Condition for this step. If it is not met, the step is skipped.")),
    each: eachMember(
      "One request per element of this list: a path, or an expression (`= line.data.bins[qty > 0]`); the element is " +
        "`{item…}`, and the answer of the step is the list of all answers.",
    ),
  },
  { additionalProperties: false },
);
export type StepOptions = Static<typeof stepOptions>;

export const eventOptions = Type.Object(
  {
    ...requestMembers,
    path: Type.Optional(requestMembers.path),
    ...sendingMembers,
    when: Type.Optional(
      whenOptions("Condition for sending. If it is not met, nothing is sent, and the event is shown as not sent."),
    ),
    each: eachMember(
      "Once per element of this list of the event, a path or an expression (`= input[workOrder.number]`): " +
        "the element is `{element…}`, the event itself is `{input…}`.",
    ),
    steps: Type.Optional(
      Type.Array(stepOptions, {
        description:
          "Several requests in order instead of one; earlier answers are `{steps.NAME…}` or `{steps[0]…}`. Progress is stored: " +
          "when one fails, delivery continues there, with the earlier answers.",
        minItems: 1,
        maxItems: 50,
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
  readonly [Id in EventId | DerivedEventId]?: EventOptions;
};

/** One member per operation of the contract: a wrong name is refused, and the most similar name is suggested. */
export const operationOptions = Type.Unsafe<OperationOptions>(
  Type.Object(
    Object.fromEntries([
      ...offeredQueries.map((id) => [id, described(queryOptions, id)] as const),
      ...offeredEvents.map((id) => [id, described(eventOptions, id)] as const),
      ...Object.entries(derivedMembers((description) => Type.Optional({ ...noticeOptions, description }))),
    ]),
    {
      additionalProperties: false,
      description: "The request for each operation; operations without one are not offered.",
    },
  ),
);
