export interface SideBySide<Result> {
  readonly ours: readonly Result[];
  readonly bare: readonly Result[];
}

/**
 * Rounds of both sides in turn, after one round of each that does not count: whatever slows the machine for a
 * while slows both, and the ratio of the medians stays what it is.
 */
export async function sideBySide<Result>(sides: {
  readonly rounds: number;
  readonly ours: () => Promise<Result>;
  readonly bare: () => Promise<Result>;
}): Promise<SideBySide<Result>> {
  await sides.bare();
  await sides.ours();
  const ours: Result[] = [];
  const bare: Result[] = [];
  for (let round = 0; round < sides.rounds; round++) {
    bare.push(await sides.bare());
    ours.push(await sides.ours());
  }
  return { ours, bare };
}
