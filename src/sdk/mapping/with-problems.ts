import type { Mapped } from "./mapping.ts";

/**
 * What a mapping made, with everything it could not do put where the member is missing: whoever checks the record
 * against the contract finds it there, and keeps back this one record instead of serving it without the member.
 */
export function withProblems({ value, problems }: Mapped): unknown {
  return problems.reduce<unknown>((spoiled, { field, text }) => {
    const steps = field.split(/[.[\]]/).filter(Boolean);
    // Customer's data may be an object, so only what is none is refused there.
    const isData = /externaldata$/i.test(steps.at(-1) ?? "");
    return withMember(spoiled, steps, isData ? false : { problem: text });
  }, value);
}

function withMember(value: unknown, steps: readonly string[], member: unknown): unknown {
  const [first, ...rest] = steps;
  if (first === undefined) return member;
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => (index === Number(first) ? withMember(one, rest, member) : one));
  }
  const members = typeof value === "object" && value !== null ? value : {};
  return { ...members, [first]: withMember(Reflect.get(members, first), rest, member) };
}
