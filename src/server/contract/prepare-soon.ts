import { operationIds, operationRow } from "../../contract/operations.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { InputReader } from "./read-input.ts";

/** By then the start is over and the first requests have been answered. */
const firstMs = 1_500;
/** Other requests run between two compilations. */
const betweenMs = 20;

/**
 * Compiles the checks of all operations soon after a start, one at a time. Otherwise the first event of each kind would
 * wait for the compilation, and all other requests with it. Returns a function that cancels the rest.
 */
export function prepareSoon(reader: Pick<InputReader, "prepare">, timers: Pick<Timers, "after">): () => void {
  const left = operationIds.filter((id) => {
    const { body, query, params } = operationRow(id);
    return (body ?? query ?? params) !== undefined;
  });
  const next = () => {
    const id = left.shift();
    if (id === undefined) return;
    reader.prepare(id);
    callOff = timers.after(betweenMs, next);
  };
  let callOff = timers.after(firstMs, next);
  return () => callOff();
}
