import { type Static, Type } from "typebox";
import type { OptionProblem } from "../../operation/option-problem.ts";
import {
  type AnswerCondition,
  type AnswerTest,
  answerExpression,
  anyMatches,
  compileAnswerExpression,
  compileCondition,
  conditionMembers,
  conditionProblems,
  expressionProblems,
  type JudgedAnswer,
  judgedAnswer,
  pathProblems,
} from "./answer-condition.ts";
import { readOnce } from "./read-answer.ts";
import type { Answer } from "./read-body.ts";
import { memberAt } from "./template.ts";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });
const closed = { additionalProperties: false };
const path = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }));

/** Statuses and texts that mean the same for almost every system. */
export const ruleDefaults = {
  mediaType: "application/json",
  allowEmpty: true,
  // Statuses below 500. A wrong password affects every event, so it does not count against a single one.
  targetTrouble: [401, 407, 408, 429],
  passing: [409, 423, 425],
  errorText: ["message", "detail", "error.message", "error", "title"],
} as const;

const successOptions = Type.Object(
  {
    status: Type.Optional(Type.Array(httpStatus, { description: "Statuses that are a success; default: every 2xx." })),
    mediaType: path("Media type of an answer with a body; default: JSON; `*/*` accepts any."),
    allowEmpty: Type.Optional(
      Type.Boolean({ description: "Whether an empty answer to an event is a success; default: true." }),
    ),
    jsonPath: path("Path of a member that the answer must have, such as `status.code`."),
    equals: conditionMembers.equals,
    in: conditionMembers.in,
    not: conditionMembers.not,
    absent: path(
      "Path of a member that only failures have, such as `error`: many systems report errors with status 200.",
    ),
    when: answerExpression("`= JSONata expression` over the answer that must be true."),
  },
  { ...closed, description: "Which answers are a success." },
);

const conditions = (description: string) =>
  Type.Optional(Type.Array(Type.Object(conditionMembers, { ...closed, minProperties: 1 }), { description }));

/** How answers are judged: members of a connector's options, and of each of its requests. */
export const answerRuleMembers = {
  success: Type.Optional(successOptions),
  errorText: Type.Optional(
    Type.Unsafe<string | readonly string[]>({
      anyOf: [
        { type: "string", minLength: 1 },
        { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
      ],
      description:
        "Where the external system's error text is in an answer that is not a success: a path, `= JSONata expression`, or a list of both, of which the first text counts.",
    }),
  ),
  refusals: Type.Optional(
    Type.Array(
      Type.Object(
        {
          ...conditionMembers,
          result: Type.Optional(
            Type.String({
              description:
                "Name of the result that is sent to the platform, such as `WorkOrderAlreadyAttached`; default: the operation's result for a refusal.",
            }),
          ),
        },
        { ...closed, minProperties: 1 },
      ),
      { description: "Which answers are refusals: they are final, and the operator sees the external system's text." },
    ),
  ),
  alreadyProcessed: Type.Optional(
    Type.Array(httpStatus, { description: "Statuses that mean the event was already processed: it is delivered." }),
  ),
  alreadyProcessedWhen: conditions("Answers that mean the same by their content, also with status 200."),
  tryLaterWhen: conditions(
    'Answers that mean "not now", such as a lock or a lost race, also with status 200: the event is retried every minute at least, and only events of the same order or container wait for it.',
  ),
  loginExpiredWhen: conditions(
    "Answers that mean the login has expired, besides status 401: the adapter logs in again and repeats the request once. Without a login that can be renewed, the request is retried later.",
  ),
};

export type AnswerRuleOptions = {
  readonly [Name in keyof typeof answerRuleMembers]?: Static<(typeof answerRuleMembers)[Name]> | undefined;
};

const ruleNames = Object.keys(answerRuleMembers);

/** Options without any rule for answers. */
export function withoutRules<Given extends AnswerRuleOptions>(given: Given): Omit<Given, keyof AnswerRuleOptions> {
  // Only these members are removed, as the type says.
  return Object.fromEntries(Object.entries(given).filter(([name]) => !ruleNames.includes(name))) as Omit<
    Given,
    keyof AnswerRuleOptions
  >;
}

/** The rules, compiled. */
export interface AnswerRules {
  readonly success: SuccessRule;
  readonly refusals: readonly { readonly matches: AnswerTest; readonly result: string | undefined }[];
  /** Statuses that mean the event was already processed. */
  readonly processedStatuses: readonly number[];
  /** Conditions on the content that mean the same: many systems answer everything with status 200. */
  readonly alreadyProcessed: readonly AnswerTest[];
  readonly tryLater: readonly AnswerTest[];
  readonly loginExpired: readonly AnswerTest[];
  /** Asked by the client, which then logs in again. Undefined if no answer can mean that. */
  readonly isLoginExpired: ((answer: Answer) => Promise<boolean>) | undefined;
  /** Statuses, besides 5xx, that mean the whole receiver is down. */
  readonly targetTrouble: readonly number[];
  /** Statuses of temporary failures of one event, which is then retried a few times quickly. */
  readonly passing: readonly number[];
  /** The external system's error text, not yet redacted. */
  readonly errorText: (answer: JudgedAnswer) => Promise<string | undefined>;
}

export interface SuccessRule extends Omit<NonNullable<AnswerRuleOptions["success"]>, "mediaType" | "allowEmpty"> {
  readonly mediaType: string;
  readonly allowEmpty: boolean;
  readonly isMet: ((answer: JudgedAnswer) => Promise<unknown>) | undefined;
}

/**
 * Compiles rules of several levels, the nearest first. Each rule is taken as a whole from the nearest level that has
 * it.
 */
export function compileRules(
  levels: readonly AnswerRuleOptions[],
  { targetTrouble = ruleDefaults.targetTrouble, passing = ruleDefaults.passing }: Partial<StatusRules> = {},
): AnswerRules {
  const nearest = <Name extends keyof AnswerRuleOptions>(name: Name): AnswerRuleOptions[Name] =>
    levels.find((level) => level[name] !== undefined)?.[name];
  const { mediaType, allowEmpty } = ruleDefaults;
  const success = nearest("success") ?? {};
  const all = (given: readonly AnswerCondition[] | undefined) => (given ?? []).map(compileCondition);
  const expired = all(nearest("loginExpiredWhen"));
  return {
    success: {
      ...{ mediaType, allowEmpty },
      ...success,
      isMet: success.when === undefined ? undefined : compileAnswerExpression(success.when),
    },
    refusals: (nearest("refusals") ?? []).map(({ result, ...one }) => ({ matches: compileCondition(one), result })),
    processedStatuses: nearest("alreadyProcessed") ?? [],
    alreadyProcessed: all(nearest("alreadyProcessedWhen")),
    tryLater: all(nearest("tryLaterWhen")),
    loginExpired: expired,
    isLoginExpired:
      expired.length === 0
        ? undefined
        : async (answer) => anyMatches(expired, judgedAnswer(answer, await readOnce(answer))),
    ...{ targetTrouble, passing },
    errorText: compileErrorText([...[nearest("errorText") ?? []].flat(), ...ruleDefaults.errorText]),
  };
}

interface StatusRules {
  readonly targetTrouble: readonly number[];
  readonly passing: readonly number[];
}

const isExpression = (text: string): boolean => text.trimStart().startsWith("=");

function compileErrorText(sources: readonly string[]): AnswerRules["errorText"] {
  const readers = sources.map((one) =>
    isExpression(one)
      ? compileAnswerExpression(one)
      : async ({ json }: JudgedAnswer): Promise<unknown> => memberAt(json, one),
  );
  return async (answer) => {
    for (const read of readers) {
      // An expression that fails for this answer gives no text. The next source may give one.
      const text = wordsOf(await read(answer).catch(() => undefined));
      if (text !== "") return text;
    }
    return undefined;
  };
}

/** How deep lists in lists are read: `["UserError", ["the text", ""]]`. */
const listDepth = 4;

/**
 * Returns a text for people; empty if the value has none. Several texts are joined, because some systems list one per
 * field.
 */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number") return String(value);
  if (!Array.isArray(value)) return "";
  const all: readonly unknown[] = value.flat(listDepth);
  return all
    .filter((one) => typeof one === "string" || typeof one === "number")
    .map(wordsOf)
    .filter((one) => one !== "")
    .join("; ");
}

/** Checks what the schema cannot express about the rules at one place of the options. */
export function answerRuleProblems(rules: AnswerRuleOptions, at: readonly (string | number)[]): OptionProblem[] {
  const { success = {}, errorText, refusals = [] } = rules;
  const lists = ["alreadyProcessedWhen", "tryLaterWhen", "loginExpiredWhen"] as const;
  const { jsonPath, absent, when, equals, in: among, not } = success;
  return [
    ...pathProblems(absent, [...at, "success", "absent"]),
    ...conditionProblems({ path: jsonPath, when, equals, in: among, not }, [...at, "success"]).map(namedJsonPath),
    ...[errorText ?? []].flat().flatMap((one, index) => {
      const place = [...at, "errorText", ...(typeof errorText === "string" ? [] : [index])];
      return isExpression(one) ? expressionProblems(one, place) : pathProblems(one, place);
    }),
    ...refusals.flatMap(({ result: _result, ...one }, index) => conditionProblems(one, [...at, "refusals", index])),
    ...lists.flatMap((name) =>
      (rules[name] ?? []).flatMap((one, index) => conditionProblems(one, [...at, name, index])),
    ),
  ];
}

/** In `success` the member is called `jsonPath`, not `path` as in conditions. */
const namedJsonPath = ({ path: at, ...rest }: OptionProblem): OptionProblem => ({
  ...rest,
  path: [at].flat().map((name, index, all) => (name === "path" && index === all.length - 1 ? "jsonPath" : name)),
  ...(rest.hint === "Set `path`." ? { hint: "Set `jsonPath`." } : {}),
});
