import { validSamples } from "../../../contract/derive/samples.ts";
import { type OperationId, operationRow } from "../../../contract/operations.ts";
import { fileUploadSchema } from "../../../contract/schemas/queries.ts";
import type { Level } from "../conformance-check.ts";

/**
 * Identities in the samples of the contract table. They are replaced by numbers of this run, so that no real order is
 * touched.
 */
const identities: readonly (readonly [sample: string, name: string])[] = [
  ["WO-1001", "ORDER"],
  ["BOX-0042", "BOX"],
  ["100-204", "ITEM"],
  ["TOTE-17", "TOTE"],
  ["SO-2026-000871", "EXT"],
  ["DN-5501", "DELIVERY"],
];

export const inventedNumber = (runId: string, name: string): string => `CONFORM-${runId}-${name}`;

export type SampleName = "full" | "minimal" | "with nulls" | "with unknown members";

/** A sample of the table, with numbers of this run. */
export function sampleInput(operation: OperationId, runId: string, name: SampleName = "full"): unknown {
  const samples = validSamples(operation);
  const sample = samples.find((one) => one.name === name) ?? samples[0];
  return withRunNumbers(sample?.body ?? { ...sample?.params, ...sample?.query }, runId);
}

export function withRunNumbers(value: unknown, runId: string): unknown {
  if (Array.isArray(value)) return value.map((element) => withRunNumbers(element, runId));
  if (typeof value === "string")
    return identities.reduce((text, [from, to]) => text.replaceAll(from, inventedNumber(runId, to)), value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      withRunNumbers(name, runId),
      name === "fileContent" && typeof inner === "string"
        ? fileWithRunNumbers(inner, runId)
        : withRunNumbers(inner, runId),
    ]),
  );
}

const fileWithRunNumbers = (content: string, runId: string): string =>
  Buffer.from(String(withRunNumbers(Buffer.from(content, "base64").toString(), runId))).toString("base64");

/** Whether the adapter stores something: it stores events, and the numbers of an imported file. */
export const isRemembered = (operation: OperationId): boolean => {
  const { kind, body } = operationRow(operation);
  return kind === "event" || body === fileUploadSchema;
};

export const levelOf = (operation: OperationId): Level => (isRemembered(operation) ? "full" : "read-only");
