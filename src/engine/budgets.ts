import type { Operation } from "../contract/operation.ts";

/** How long an answer may take, by what the operator is doing meanwhile. */
export interface Budgets {
  readonly eventMs: number;
  readonly stepMs: number;
  readonly scanMs: number;
  readonly listMs: number;
}

export const defaultBudgets: Budgets = { eventMs: 300, stepMs: 1500, scanMs: 3000, listMs: 20_000 };

export function budgetMs(row: Operation, budgets: Budgets): number {
  switch (row.budget) {
    case "event":
      return budgets.eventMs;
    case "step":
      return budgets.stepMs;
    case "scan":
      return budgets.scanMs;
    default:
      return budgets.listMs;
  }
}
