const name = "__proto__";

/**
 * Whether a JSON text can hold a member named __proto__: written out, or with an escape that could spell it.
 * Spares the usual file a walk through all its members.
 */
export const mayHoldProto = (text: string): boolean =>
  text.includes(name) || (text.includes("u00") && text.includes("\\u00"));

interface ProtoMember {
  /** Where, as a person writes it: `requests[0].__proto__`. */
  readonly field: string;
  readonly value: unknown;
}

/** All members named __proto__. Nobody sends one in good faith, and whoever copies it carelessly changes a prototype. */
export function* protoMembers(value: unknown, owner = ""): Generator<ProtoMember> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const field = Array.isArray(value) ? `${owner}[${key}]` : owner === "" ? key : `${owner}.${key}`;
    if (key === name) yield { field, value: member };
    else yield* protoMembers(member, field);
  }
}
