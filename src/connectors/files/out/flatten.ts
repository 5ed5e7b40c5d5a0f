/** An object with its inner objects' members beside its own, by dotted name; lists stay as they are. */
export function flatten(value: unknown, prefix = ""): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { [prefix || "value"]: value };
  const flat: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    const isInner = typeof member === "object" && member !== null && !Array.isArray(member);
    Object.assign(flat, isInner ? flatten(member, key) : { [key]: member });
  }
  return flat;
}
