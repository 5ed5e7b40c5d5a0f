import { isDeepStrictEqual } from "node:util";
import { type OperationId, operationRow } from "../../../contract/operations.ts";
import type { RecordedCall } from "../record/captured-call.ts";

/** How an answer differs from the recorded one. */
export interface AnswerDifference {
  readonly what: "status" | "result" | "data";
  readonly recorded: string;
  readonly now: string;
}

export interface AnswerNow {
  readonly status: number;
  /** Undefined if it was not JSON. */
  readonly json: unknown;
}

/**
 * Members that are not compared. Texts for people change with versions, and those in the recording are replaced. The
 * platform acts only on the rest.
 */
const notCompared = new Set(
  ["externalMessage", "validationStatus", "description", "itemName", "itemDescription", "name", "itemNames"].map(
    (name) => name.toLowerCase(),
  ),
);

/** Returns null if the platform would act in the same way. */
export function compareAnswers(
  { row, answer }: RecordedCall,
  now: AnswerNow,
  { isDataCompared }: { readonly isDataCompared: boolean },
): AnswerDifference | null {
  if (answer === null) return null;
  if (answer.status !== now.status) {
    return { what: "status", recorded: String(answer.status), now: String(now.status) };
  }
  if (!("json" in answer.body) || !("operation" in row)) return null;
  const [before, after] = [resultOf(row.operation, answer.body.json), resultOf(row.operation, now.json)];
  if (before !== after) return { what: "result", recorded: before, now: after };
  if (!isDataCompared || row.operation === "getStatus") return null;
  const [was, is] = [dataOf(answer.body.json), dataOf(now.json)];
  if (isDeepStrictEqual(was, is)) return null;
  return { what: "data", recorded: JSON.stringify(was).slice(0, 300), now: JSON.stringify(is).slice(0, 300) };
}

function resultOf(id: OperationId, json: unknown): string {
  if (id === "getStatus") return "";
  const { result, isResultSuccess } = Object(json ?? {});
  const name = operationRow(id).results[Number(result)];
  return name === undefined ? "no result of this endpoint" : `${name}${isResultSuccess === true ? " (success)" : ""}`;
}

const dataOf = (json: unknown): unknown => comparable(Object(json ?? {}).data ?? null);

/**
 * Makes values comparable: null equals absent, and the order of objects in a list is ignored, because it is not
 * guaranteed.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .map((element) => [JSON.stringify(comparable(element)), element] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, element]) => comparable(element));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null && member !== undefined && !notCompared.has(name.toLowerCase()))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, comparable(member)]),
  );
}
