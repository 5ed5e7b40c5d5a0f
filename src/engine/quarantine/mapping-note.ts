/**
 * What a mapping said about a member that it could not make: it stands where the member belongs, as `{ problem }`
 * (src/sdk/mapping/with-problems.ts), and says more than that the member has the wrong type.
 */
export function mappingNote(record: unknown, field: string): string | undefined {
  let value = record;
  for (const step of field.split(/[.[\]]/).filter(Boolean)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "problem") return undefined;
  const { problem } = value as { problem: unknown };
  return typeof problem === "string" ? problem.slice(0, maxNoteLength) : undefined;
}

const maxNoteLength = 500;
