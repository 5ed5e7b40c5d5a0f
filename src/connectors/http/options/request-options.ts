import { type Static, Type } from "typebox";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });
const scalar = (description: string) =>
  Type.Unsafe<string | number | boolean | null>({ type: ["string", "number", "boolean", "null"], description });
const path = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }));

export const successOptions = Type.Object(
  {
    status: Type.Optional(Type.Array(httpStatus, { description: "Statuses that are a success; default: every 2xx." })),
    mediaType: path("Media type of an answer with a body; default: JSON; `*/*` accepts any."),
    allowEmpty: Type.Optional(
      Type.Boolean({ description: "Whether an empty answer to an event is a success; default: true." }),
    ),
    jsonPath: path("Member that the answer must have, such as `status.code`."),
    equals: Type.Optional(scalar("Value that the member must have; default: anything but false, null and missing.")),
    absent: path("Member that only failures have, such as `error`: many systems report errors with status 200."),
  },
  { additionalProperties: false, description: "Which answers are a success." },
);

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
  success: Type.Optional(successOptions),
  errorText: path("Path of the external system's error text in an answer that is not a success."),
};

export const requestOptions = Type.Object(requestMembers, { additionalProperties: false });
export type RequestOptions = Static<typeof requestOptions>;

export const whenOptions = Type.Object(
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
