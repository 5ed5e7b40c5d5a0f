import { inTurn } from "./in-turn.ts";

export interface SideBySide<Result> {
  readonly ours: readonly Result[];
  readonly bare: readonly Result[];
}

/** Runs rounds of both sides in turn. */
export function sideBySide<Result>(sides: {
  readonly rounds: number;
  readonly warmUps?: number;
  readonly ours: () => Promise<Result>;
  readonly bare: () => Promise<Result>;
}): Promise<SideBySide<Result>> {
  const { rounds, warmUps, ours, bare } = sides;
  return inTurn(rounds, { bare, ours }, warmUps);
}
