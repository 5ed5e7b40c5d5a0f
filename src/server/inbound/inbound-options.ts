import { type Static, Type } from "typebox";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { mappingSchema } from "../../mapping/compile/compiling.ts";
import { badRecordsOption } from "../../operation/bad-records.ts";

const inboundFormats = ["json", "xml", "csv", "form"] as const;

const choice = <const Name extends string>(names: readonly Name[], description: string, fallback?: Name) =>
  Type.Unsafe<Name>({
    ...{ type: "string", enum: [...names], description },
    ...(fallback === undefined ? {} : { default: fallback }),
  });

const answer = Type.Object(
  {
    status: Type.Integer({ description: "Status of what was stored.", default: 202, minimum: 200, maximum: 299 }),
    body: Type.Optional(
      Type.Unsafe<unknown>({
        type: ["object", "array", "string"],
        description:
          "Body: texts in it may hold `{id}`, `{ids}`, `{count}`, `{accepted}`, `{unchanged}` and `{refused}`; " +
          'absent: `{ "ids": … }`.',
      }),
    ),
    contentType: Type.Optional(
      Type.String({
        description: "Its content type; absent: JSON, or plain text where the body is a text.",
        pattern: "^[\\x21-\\x7e]+/[\\x20-\\x7e]+$",
      }),
    ),
  },
  { additionalProperties: false, description: "For senders that require a specific answer." },
);
export type AnswerOptions = Static<typeof answer>;

/** A route besides the default ones, for a sender that cannot use the default format. */
export const inboundOptions = Type.Object(
  {
    path: Type.String({
      description: "Where it is, such as `/inbound/shop/orders`.",
      pattern: "^(/[A-Za-z0-9._~-]+)+$",
      maxLength: 200,
    }),
    method: choice(["POST", "PUT", "PATCH"], "The method it is called with.", "POST"),
    sender: Type.Optional(
      Type.Unsafe<string | readonly string[]>({
        type: ["string", "array"],
        items: { type: "string", minLength: 1 },
        description: "The senders that may use it, one or a list; absent: every sender that may push its topic.",
      }),
    ),
    topic: choice<PushTopic>(pushTopics, "What is pushed."),
    format: choice(inboundFormats, "How it is written.", "json"),
    records: Type.Optional(
      Type.String({
        description: "Path of the records in a JSON or XML body or a field of a form, such as `Orders.Order`.",
        minLength: 1,
      }),
    ),
    groupBy: Type.Optional(
      Type.String({
        description:
          "Column of a CSV body whose equal values make one record; its rows are in `rows`. Only with `map`.",
        minLength: 1,
      }),
    ),
    map: Type.Optional(mappingSchema),
    answer: Type.Optional(answer),
    badRecords: badRecordsOption("refuse", {
      of: "the whole push",
      shown: "the answer names it in `results`",
    }),
    limitMiB: Type.Optional(
      Type.Number({
        description: "Largest accepted body in MiB; absent: `bodyLimitMiB`.",
        exclusiveMinimum: 0,
        maximum: 512,
      }),
    ),
  },
  { additionalProperties: false, description: "A route for pushes." },
);
export type InboundOptions = Static<typeof inboundOptions>;
