import { randomBytes } from "node:crypto";

/** Without letters that look like digits: operators read these aloud over the phone. */
const letters = "ABCDEFGHJKMNPQRSTVWXYZ23456789";

/** A short reference that stands in an answer and in the log. */
export function newReference(): string {
  return Array.from(randomBytes(8), (byte) => letters[byte % letters.length]).join("");
}
