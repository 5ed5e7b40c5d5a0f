/**
 * Rounds of all sides in turn, after some of each that do not count: whatever slows the machine for a while slows all of
 * them, and the ratio of the medians stays what it is. A server gets its machine code in its first seconds under load;
 * one that runs for weeks is measured after them.
 */
export async function inTurn<Name extends string, Result>(
  rounds: number,
  sides: Readonly<Record<Name, () => Promise<Result>>>,
  warmUps = 1,
): Promise<Record<Name, readonly Result[]>> {
  // The keys of the record are its names; entries() forgets that.
  const named = Object.entries(sides) as [Name, () => Promise<Result>][];
  const results = new Map(named.map(([name]) => [name, [] as Result[]]));
  for (let round = 0; round < warmUps; round++) for (const [, run] of named) await run();
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of named) results.get(name)?.push(await run());
  }
  return Object.fromEntries(results) as Record<Name, Result[]>;
}
