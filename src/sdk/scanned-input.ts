import type { AskId } from "../contract/operations.ts";

/** Scanners add blanks and line ends to a code. Every system is asked for the code itself. */
export function scannedInput(id: AskId, input: unknown): unknown {
  const name = id === "findWorkOrderByCode" ? "Code" : id === "findPutWallOrders" ? "code" : undefined;
  if (name === undefined || typeof input !== "object" || input === null) return input;
  // Any object can be looked into by name; what is found there is unknown again.
  const code = (input as Record<string, unknown>)[name];
  return typeof code === "string" && code !== code.trim() ? { ...input, [name]: code.trim() } : input;
}
