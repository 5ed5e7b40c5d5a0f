import { Type } from "typebox";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { conditionProblems, expressionProblems, pathProblems } from "../answers/answer-condition.ts";
import { type SentAuth, type SessionOptions, sentKindNames, sentKinds } from "./auth-kinds.ts";

/** The members of all kinds. Members of the same name have the same description. */
const membersOfAllKinds: Readonly<Record<string, object>> = Object.fromEntries(
  sentKindNames.flatMap((kind) => Object.entries<object>(sentKinds[kind].properties)),
);

/**
 * `auth` as an option of a connector: one closed object with the members of all kinds, so that a misspelt member is
 * found and the nearest name is suggested. `sentAuthProblems` checks which member belongs to which kind.
 */
export const sentAuth = Type.Unsafe<SentAuth>({
  type: "object",
  description:
    "How the adapter authenticates at the external system: `kind` and the members of that kind; absent: not at all.",
  properties: {
    kind: {
      type: "string",
      enum: [...sentKindNames],
      description: `How the adapter authenticates: ${sentKindNames.join(", ")}.`,
    },
    ...membersOfAllKinds,
  },
  additionalProperties: false,
});

/** Returns members that the kind requires and that are missing, and members that belong to another kind. */
export function sentAuthProblems(auth: SentAuth | undefined): OptionProblem[] {
  if (auth === undefined) return [];
  const { kind, ...given } = auth;
  const own = sentKindNames.includes(kind) ? sentKinds[kind] : undefined;
  if (own === undefined) {
    const hint = `Kinds: ${sentKindNames.join(", ")}.`;
    return kind === undefined ? [{ path: ["auth", "kind"], text: "the kind is missing", hint }] : [];
  }
  const known = Object.keys(own.properties);
  // A schema has this keyword if some of its members are required; its declared type does not show it.
  const { required = [] } = own as unknown as { readonly required?: readonly string[] };
  const needed = required.filter((name) => !Object.hasOwn(given, name));
  const foreign = Object.keys(given).filter((name) => Object.hasOwn(membersOfAllKinds, name) && !known.includes(name));
  const hint = `Known here: ${["kind", ...known].join(", ")}.`;
  return [
    ...(auth.kind === "session" ? sessionProblems(auth) : []),
    ...needed.map((name) => ({ path: ["auth", name], text: `kind ${kind} needs it`, hint })),
    ...foreign.map((name) => ({ path: ["auth", name], text: `the kind ${kind} has no such setting`, hint })),
  ];
}

/** Checks what the schema cannot express about a session: its expressions and its path. */
function sessionProblems({ headers = {}, lifetimeSeconds, tokenPath, loginFailedWhen = [] }: SessionOptions) {
  const isExpression = (value: unknown): value is string => typeof value === "string" && /^\s*=/.test(value);
  return [
    ...pathProblems(tokenPath, ["auth", "tokenPath"]),
    ...Object.entries(headers).flatMap(([name, value]) =>
      isExpression(value) ? expressionProblems(value, ["auth", "headers", name]) : [],
    ),
    ...(isExpression(lifetimeSeconds) ? expressionProblems(lifetimeSeconds, ["auth", "lifetimeSeconds"]) : []),
    ...loginFailedWhen.flatMap((one, index) => conditionProblems(one, ["auth", "loginFailedWhen", index])),
  ];
}
