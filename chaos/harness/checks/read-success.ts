import type { Answer } from "../floor/line.ts";

const successStart = '{"isResultSuccess":true,';

/** Said of a push while an earlier sending under its key, which nobody waits for any more, is being stored. */
export const isUnderWay = ({ status }: Answer): boolean => status === 409;

/** Whether an answer says success; null for what is no answer of the contract, nor one that a push may get. */
export function readSuccess({ status, body }: Answer): boolean | null {
  if (status === 202) return true;
  if (status === 503) return body.includes("traceId") ? false : null;
  if (status !== 200) return null;
  // By far the most, and parsing each would cost more than sending it.
  if (body.startsWith(successStart)) return true;
  try {
    const { isResultSuccess } = JSON.parse(body) as { isResultSuccess?: unknown };
    return typeof isResultSuccess === "boolean" ? isResultSuccess : null;
  } catch {
    return null;
  }
}
