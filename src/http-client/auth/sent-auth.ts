import { Type } from "typebox";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { type SentAuth, sentKindNames, sentKinds } from "./auth-kinds.ts";

/** The members of all kinds; those of one name have one description. */
const members: Readonly<Record<string, object>> = Object.fromEntries(
  sentKindNames.flatMap((kind) => Object.entries<object>(sentKinds[kind].properties)),
);

/**
 * `auth` as an option of a connector: the members of every kind in one closed object, so that a misspelt one is found and
 * its like is named. What belongs to which kind is said by `sentAuthProblems`.
 */
export const sentAuth = Type.Unsafe<SentAuth>({
  type: "object",
  description: "How the external system is shown who asks: `kind` and the members of that kind; absent: not at all.",
  properties: {
    kind: {
      type: "string",
      enum: [...sentKindNames],
      description: `How it is shown who asks: ${sentKindNames.join(", ")}.`,
    },
    ...members,
  },
  additionalProperties: false,
});

/** Members that the kind lacks, or that belong to another one. */
export function sentAuthProblems(auth: SentAuth | undefined): OptionProblem[] {
  if (auth === undefined) return [];
  const { kind, ...given } = auth;
  const own = sentKindNames.includes(kind) ? sentKinds[kind] : undefined;
  if (own === undefined) {
    const hint = `Kinds: ${sentKindNames.join(", ")}.`;
    return kind === undefined ? [{ path: ["auth", "kind"], text: "the kind is missing", hint }] : [];
  }
  const known = Object.keys(own.properties);
  // A schema has this keyword where a member is not optional; its type does not tell.
  const { required = [] } = own as unknown as { readonly required?: readonly string[] };
  const needed = required.filter((name) => !Object.hasOwn(given, name));
  const foreign = Object.keys(given).filter((name) => Object.hasOwn(members, name) && !known.includes(name));
  const hint = `Known here: ${["kind", ...known].join(", ")}.`;
  return [
    ...needed.map((name) => ({ path: ["auth", name], text: `kind ${kind} needs it`, hint })),
    ...foreign.map((name) => ({ path: ["auth", name], text: `the kind ${kind} has no such setting`, hint })),
  ];
}
