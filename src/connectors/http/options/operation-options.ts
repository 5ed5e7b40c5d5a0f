import { type Static, type TObject, Type } from "typebox";
import { type EventId, operationIds, operationRow, type QueryId } from "../../../contract/operations.ts";
import { conditionOptions } from "../../../http-client/answers/answer-rules.ts";
import { mappingSchema } from "../../../mapping/compile-mapping.ts";
import { pageOptions } from "../queries/page-options.ts";
import { requestMembers, requestOptions, whenOptions } from "./request-options.ts";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });

const detailOptions = Type.Object(
  {
    path: requestMembers.path,
    query: requestMembers.query,
    records: Type.Optional(
      Type.String({ description: "Where the record stands in that answer; absent: the answer itself." }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "A further GET per record, for lists that leave out the lines: `{record…}` is the record, its answer replaces it.",
  },
);
export type DetailOptions = Static<typeof detailOptions>;

/** What is fetched: a request, where its records stand, and what becomes of each. */
export const fetchMembers = {
  ...requestMembers,
  records: Type.Optional(
    Type.String({
      description: "Where the list of records stands in the answer, such as `data.items`; absent: the answer itself.",
    }),
  ),
  detail: Type.Optional(detailOptions),
  page: Type.Optional(pageOptions),
  map: Type.Optional(mappingSchema),
};

const notFoundOptions = Type.Object(
  {
    status: Type.Optional(
      Type.Array(httpStatus, { description: "Statuses that mean there is none; 404 where absent." }),
    ),
    path: Type.Optional(Type.String({ description: "Member of the answer that says there is none.", minLength: 1 })),
    equals: Type.Optional(
      Type.Unsafe<string | number | boolean | null>({
        type: ["string", "number", "boolean", "null"],
        description: "What that member is then; absent: anything but false, null and missing.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "How the external system says that there is none. An empty list always says so.",
  },
);

const queryOptions = Type.Object(
  { ...fetchMembers, notFound: Type.Optional(notFoundOptions) },
  { additionalProperties: false },
);
export type QueryOptions = Static<typeof queryOptions>;

const refusalOptions = Type.Object(
  {
    status: Type.Optional(httpStatus),
    code: Type.Optional(Type.String({ description: "Only where the answer has this code." })),
    codePath: Type.Optional(Type.String({ description: "Where the code stands in the answer; `code` where absent." })),
    result: Type.String({ description: "Name of the result the platform gets, such as `WorkOrderAlreadyAttached`." }),
  },
  { additionalProperties: false },
);

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
        description: "One request per element of this list of the event, as `{element…}`; `input` is the event itself.",
        minLength: 1,
      }),
    ),
    steps: Type.Optional(
      Type.Array(stepOptions, {
        description:
          "Several requests in order instead of one; earlier answers are `{steps[0]…}`. All are repeated when one fails.",
      }),
    ),
    refusals: Type.Optional(
      Type.Array(refusalOptions, { description: "Which answers are a no that the operator is told." }),
    ),
    alreadyProcessed: Type.Optional(
      Type.Array(httpStatus, { description: "Statuses that say the event is known there already." }),
    ),
    alreadyProcessedWhen: conditionOptions(
      "Answers that say the same by a code or another member, also with status 200.",
    ),
    tryLaterWhen: conditionOptions(
      "Answers that say `not now`, also with status 200: the event waits and is sent again, and is not to blame.",
    ),
    idempotencyHeader: Type.Optional(
      Type.String({ description: "Header that carries the entry's id; `Idempotency-Key` where absent.", minLength: 1 }),
    ),
  },
  { additionalProperties: false },
);
export type EventOptions = Static<typeof eventOptions>;

const { refusals: _none, ...noticeMembers } = eventOptions.properties;
/** What the adapter tells on its own account: no operator waits for it, so there is nobody to be told a no. */
export const noticeOptions = Type.Object(noticeMembers, {
  additionalProperties: false,
  description:
    "The request for what the adapter tells by itself, such as the receipt of a change: `{input…}` is its body. " +
    "Absent: nothing is sent.",
});
export type NoticeOptions = Static<typeof noticeOptions>;

/** Files that people upload are read by the adapter itself; no web interface is asked for that. */
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

/** One member per operation of the contract: a wrong name is refused with the nearest right one. */
export const operationOptions = Type.Unsafe<OperationOptions>(
  Type.Object(
    Object.fromEntries([
      ...offeredQueries.map((id) => [id, described(queryOptions, id)] as const),
      ...offeredEvents.map((id) => [id, described(eventOptions, id)] as const),
    ]),
    {
      additionalProperties: false,
      description: "Which request serves which operation; what is not named here is not offered.",
    },
  ),
);
