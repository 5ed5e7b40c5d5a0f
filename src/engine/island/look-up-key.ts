/** What is asked, as a text: the same for the same question, whatever the order of its members. */
export function lookUpKey(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  const members = Object.entries(input)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members);
}
