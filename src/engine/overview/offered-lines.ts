import type { UpdatedLine, UpdateWorkOrderRequest } from "../../contract/schemas/update-work-order.ts";

type Model = Pick<UpdateWorkOrderRequest, "itemRequests"> | null | undefined;

/** The lines that the answer to a step changed, compared with the model the step brought. */
export function offeredLines(input: unknown, answer: string | null): readonly UpdatedLine[] {
  if (answer === null || !answer.includes("updateWorkOrderRequest")) return [];
  const given = modelIn((JSON.parse(answer) as { data?: unknown }).data)?.itemRequests ?? [];
  const brought = modelIn(input)?.itemRequests ?? [];
  // The model is echoed completely with only the affected lines changed, so places correspond.
  return given.filter((line, index) => {
    const before = brought[index];
    return line.isCancelled !== before?.isCancelled || line.requestedAmount !== before?.requestedAmount;
  });
}

function modelIn(value: unknown): Model {
  if (typeof value !== "object" || value === null) return null;
  // Checked against the contract when it was taken in, or made by us.
  return (value as { updateWorkOrderRequest?: Model }).updateWorkOrderRequest;
}
