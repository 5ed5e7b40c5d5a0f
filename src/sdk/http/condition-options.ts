import { Type } from "typebox";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });

/** Conditions on an answer, each of which is enough; see AnswerCondition. */
export const conditionOptions = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          status: Type.Optional(httpStatus),
          code: Type.Optional(Type.String({ description: "Only where the answer has this code." })),
          codePath: Type.Optional(
            Type.String({ description: "Where the code stands in the answer; `code` where absent." }),
          ),
          path: Type.Optional(Type.String({ description: "Member of the answer that says so.", minLength: 1 })),
          equals: Type.Optional(
            Type.Unsafe<string | number | boolean | null>({
              type: ["string", "number", "boolean", "null"],
              description: "What that member is then; absent: anything but false, null and missing.",
            }),
          ),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      { description },
    ),
  );
