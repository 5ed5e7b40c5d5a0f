import type { Answer } from "./line.ts";

const successStart = '{"isResultSuccess":true,';

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
