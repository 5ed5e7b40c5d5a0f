import { Type } from "typebox";

type Scalar = string | number | boolean | null;

/** What a member is compared with. Without any of these: it must have a value that is not false. */
export interface MemberCondition {
  readonly path: string;
  readonly equals?: Scalar;
  readonly in?: readonly Scalar[];
  readonly not?: Scalar | readonly Scalar[];
  readonly exists?: boolean;
}

/** A condition for sending: about one member, or an expression that begins with `=`. */
export type WhenOptions = string | MemberCondition;

export const isExpression = (text: string): boolean => text.trimStart().startsWith("=");

const scalar = ["string", "number", "boolean", "null"];

/** The schema of a condition. What it cannot express is checked by `conditionProblems`. */
export const whenOptions = (description: string) =>
  Type.Unsafe<WhenOptions>({
    type: ["string", "object"],
    description: `${description} An expression (\`= status in [3, 7]\`), or a member and what it is compared with.`,
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description:
          "What is tested: a member of the event, of `order` or `line`, or of an earlier answer (`steps.find.id`).",
      },
      equals: { type: scalar, description: "Value that it must have; default: anything but false, null and missing." },
      in: { type: "array", items: { type: scalar }, minItems: 1, description: "Values of which it must have one." },
      not: {
        type: [...scalar, "array"],
        items: { type: scalar },
        description: "Value, or list of values, that it must not have; a missing member has none of them.",
      },
      exists: { type: "boolean", description: "Whether it must have a value (true) or none (false)." },
    },
    required: ["path"],
    additionalProperties: false,
  });
