import { type Static, Type } from "typebox";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { fetchMembers } from "./operation-options.ts";

const sinceOptions = Type.Object(
  {
    at: Type.Optional(
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

export const pollOptions = Type.Object(
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
  },
  { additionalProperties: false },
);
export type PollOptions = Static<typeof pollOptions>;
