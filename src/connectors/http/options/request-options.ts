import { type Static, Type } from "typebox";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });
const scalar = (description: string) =>
  Type.Unsafe<string | number | boolean | null>({ type: ["string", "number", "boolean", "null"], description });
const path = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }));

export const successOptions = Type.Object(
  {
    status: Type.Optional(
      Type.Array(httpStatus, { description: "The statuses that are a success; absent: every 2xx." }),
    ),
    mediaType: path("Media type a filled answer must have; JSON where absent, `*/*` takes any."),
    allowEmpty: Type.Optional(
      Type.Boolean({ description: "Whether an empty answer to an event is a success; true where absent." }),
    ),
    jsonPath: path("Member of the answer that must be there, such as `status.code`."),
    equals: Type.Optional(scalar("What that member must be; absent: anything but false, null and missing.")),
    absent: path("Member that only failures have, such as `error`: many systems answer errors with status 200."),
  },
  { additionalProperties: false, description: "Which answers are a success." },
);

/** A request as it is configured. Texts hold `{placeholders}`. */
export const requestMembers = {
  method: Type.Optional(
    Type.Unsafe<"GET" | "POST" | "PUT" | "PATCH" | "DELETE">({
      type: "string",
      enum: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      description: "Method; GET for questions and POST for events where absent.",
    }),
  ),
  path: Type.String({
    description: "Path below `baseUrl`, such as `/orders/{code}`; what fills a placeholder is percent-encoded.",
    pattern: "^/",
  }),
  query: Type.Optional(
    Type.Record(Type.String(), Type.Unsafe<unknown>({}), {
      description:
        "Query parameters. A list or an object is sent as JSON. One whose placeholders are all empty is left out.",
    }),
  ),
  headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Headers of this request." })),
  body: Type.Optional(
    Type.Unsafe<unknown>({
      description: "JSON body; texts in it may hold placeholders, and `{name}` alone is replaced by the value itself.",
    }),
  ),
  success: Type.Optional(successOptions),
  errorText: path("Where the external system's own words stand in an answer that is no success."),
};

export const requestOptions = Type.Object(requestMembers, { additionalProperties: false });
export type RequestOptions = Static<typeof requestOptions>;

export const whenOptions = Type.Object(
  {
    path: Type.String({
      description: "What to look at: a member of the event, or of an earlier answer (`steps[0].id`).",
      minLength: 1,
    }),
    equals: Type.Optional(scalar("What it must be; absent: anything but false, null and missing.")),
  },
  {
    additionalProperties: false,
    description: "Only where this is so; else nothing is sent and the event counts as delivered.",
  },
);
export type WhenOptions = Static<typeof whenOptions>;
