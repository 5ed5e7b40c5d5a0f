/**
 * A value as JSON that strict readers take: half of a character, as a cut text may end with, would have them refuse the
 * whole document.
 */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  // How half a character is written; rarely it is something else that looks like it, which costs a second writing.
  if (!text.includes("\\ud")) return text;
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "string" ? member.toWellFormed() : member,
  );
}
