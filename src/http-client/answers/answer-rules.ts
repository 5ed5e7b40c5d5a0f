import { Type } from "typebox";

/** Which answers are a success, which a no that the operator is told, and which mean trouble. */
export interface AnswerRules {
  readonly success: SuccessRule;
  readonly refusals: readonly RefusalRule[];
  /** Statuses that say the event is known there already. */
  readonly alreadyProcessed: readonly number[];
  /** The same by what stands in the answer: many systems answer everything with status 200. */
  readonly alreadyProcessedWhen?: readonly AnswerCondition[] | undefined;
  /** Answers that say: not now. The event waits and is sent again. */
  readonly tryLaterWhen?: readonly AnswerCondition[] | undefined;
  /** Statuses, besides 5xx, that mean the receiver as a whole is in trouble. */
  readonly targetTrouble: readonly number[];
  /** Statuses of an event that are worth a few quick tries. */
  readonly passing: readonly number[];
  /** Where the external system's own words stand in its answer; the first text found is shown. */
  readonly messagePaths: readonly string[];
}

export interface SuccessRule {
  readonly status?: readonly number[] | undefined;
  readonly mediaType: string;
  readonly allowEmpty: boolean;
  readonly jsonPath?: string | undefined;
  readonly equals?: string | number | boolean | null | undefined;
  /** A member that only failures have: many systems answer errors with status 200. */
  readonly absent?: string | undefined;
}

/** Everything given must hold. */
export interface AnswerCondition {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly codePath?: string | undefined;
  /** A member that must be there, or be equal to `equals`. */
  readonly path?: string | undefined;
  readonly equals?: string | number | boolean | null | undefined;
}

export interface RefusalRule {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly codePath?: string | undefined;
  readonly result: string;
}

export const ruleDefaults = {
  mediaType: "application/json",
  allowEmpty: true,
  // Of the statuses below 500. A wrong password hits every event alike: none of them is to blame for it.
  targetTrouble: [401, 407, 408, 429],
  passing: [409, 423, 425],
  codePath: "code",
  messagePaths: ["message", "detail"],
} as const;

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
