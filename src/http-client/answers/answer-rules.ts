import { Type } from "typebox";

/** Which answers are a success, which are refusals for the operator, and which mean that the receiver is down. */
export interface AnswerRules {
  readonly success: SuccessRule;
  readonly refusals: readonly RefusalRule[];
  /** Statuses that mean the event was already processed. */
  readonly alreadyProcessed: readonly number[];
  /** The same by the answer's content: many systems answer everything with status 200. */
  readonly alreadyProcessedWhen?: readonly AnswerCondition[] | undefined;
  /** Answers that mean "not now". The event is retried. */
  readonly tryLaterWhen?: readonly AnswerCondition[] | undefined;
  /** Statuses, besides 5xx, that mean the whole receiver is down. */
  readonly targetTrouble: readonly number[];
  /** Statuses of temporary failures of one event: it is retried a few times quickly. */
  readonly passing: readonly number[];
  /** Paths of the external system's error text; the first text found is shown. */
  readonly messagePaths: readonly string[];
}

export interface SuccessRule {
  readonly status?: readonly number[] | undefined;
  readonly mediaType: string;
  readonly allowEmpty: boolean;
  readonly jsonPath?: string | undefined;
  readonly equals?: string | number | boolean | null | undefined;
  /** A member that only failures have: many systems report errors with status 200. */
  readonly absent?: string | undefined;
}

/** All conditions given must be met. */
export interface AnswerCondition {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly codePath?: string | undefined;
  /** A member that must exist, or be equal to `equals`. */
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
  // Of the statuses below 500. A wrong password affects every event, so it is not counted against one of them.
  targetTrouble: [401, 407, 408, 429],
  passing: [409, 423, 425],
  codePath: "code",
  messagePaths: ["message", "detail"],
} as const;

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });

/** Conditions on an answer; one of them is enough. See AnswerCondition. */
export const conditionOptions = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          status: Type.Optional(httpStatus),
          code: Type.Optional(Type.String({ description: "Only if the answer has this code." })),
          codePath: Type.Optional(Type.String({ description: "Path of the code in the answer; default: `code`." })),
          path: Type.Optional(Type.String({ description: "Member of the answer that is tested.", minLength: 1 })),
          equals: Type.Optional(
            Type.Unsafe<string | number | boolean | null>({
              type: ["string", "number", "boolean", "null"],
              description: "Value that the member must have; default: anything but false, null and missing.",
            }),
          ),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      { description },
    ),
  );
