import type { Answer } from "../floor/line.ts";

const successStart = '{"isResultSuccess":true,';

/** The answer to a push while an earlier send with the same key is still being stored. */
export const isUnderWay = ({ status }: Answer): boolean => status === 409;

/** Whether an answer says success; null if it is neither an answer of the contract nor an answer to a push. */
export function readSuccess({ status, body }: Answer): boolean | null {
  if (status === 202) return true;
  if (status === 503) return body.includes("traceId") ? false : null;
  if (status !== 200) return null;
  // Checked first because it is the most frequent case: parsing each answer would cost more than sending it.
  if (body.startsWith(successStart)) return true;
  try {
    const { isResultSuccess } = JSON.parse(body) as { isResultSuccess?: unknown };
    return typeof isResultSuccess === "boolean" ? isResultSuccess : null;
  } catch {
    return null;
  }
}
