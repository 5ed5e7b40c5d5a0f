/** A line as the platform has it: what it still wants of it and what is picked. */
interface RunningLine {
  readonly live: number;
  readonly picked: number;
}

/**
 * How much of each line stays when all of them together are lowered to an amount: never less than what is
 * picked, never more than before, earlier lines first.
 */
export function keepAmounts(lines: readonly RunningLine[], wanted: number): number[] {
  let spare = wanted - lines.reduce((sum, line) => sum + line.picked, 0);
  return lines.map(({ live, picked }) => {
    const extra = Math.max(0, Math.min(live - picked, spare));
    spare -= extra;
    return picked + extra;
  });
}
