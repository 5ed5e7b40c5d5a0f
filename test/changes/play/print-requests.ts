import { type OperationId, operationRow, operations } from "../../../src/contract/operations.ts";
import { type PushTopic, pushes, pushRow } from "../../../src/contract/pushes.ts";
import type { Played } from "../sequences/run-sequence.ts";
import type { Difference } from "./compare.ts";

/** A sequence as the requests that somebody would send to see the same again, and where the answer differs. */
export function printRequests(played: readonly Played[], differences: readonly Difference[]): string {
  const requests = played.flatMap(({ topic, payload, answer }, index) => [
    `${index + 1}. ${methodAndPath(topic)}`,
    `   ${JSON.stringify(payload)}`,
    `   → ${JSON.stringify(answer)}`,
  ]);
  const found = differences.flatMap(({ what, expected, got }) => [
    `after request ${played.length}: ${what}`,
    `   expected ${JSON.stringify(expected)}`,
    `   got      ${JSON.stringify(got)}`,
  ]);
  return [...requests, "", ...found].join("\n");
}

function methodAndPath(topic: string): string {
  if (topic in pushes) return `POST ${pushRow(topic as PushTopic).path}`;
  if (!(topic in operations)) return topic;
  const { method, path } = operationRow(topic as OperationId);
  return `${method} ${path}`;
}
