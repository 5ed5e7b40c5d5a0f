/**
 * Runs rounds of all sides in turn, after warm-up rounds that do not count. A temporary load of the machine slows all
 * sides, so the ratio of the medians stays the same. Warm-up matters because a server is compiled to machine code in
 * its first seconds under load.
 */
export async function inTurn<Name extends string, Result>(
  rounds: number,
  sides: Readonly<Record<Name, () => Promise<Result>>>,
  warmUps = 1,
  /** Whether another side is the first in each round: the work that one side leaves behind then slows all of them. */
  rotates = false,
): Promise<Record<Name, readonly Result[]>> {
  // The keys of the record are its names; entries() loses that type.
  const named = Object.entries(sides) as [Name, () => Promise<Result>][];
  const results = new Map(named.map(([name]) => [name, [] as Result[]]));
  for (let round = 0; round < warmUps; round++) for (const [, run] of named) await run();
  for (let round = 0; round < rounds; round++) {
    const first = rotates ? round % named.length : 0;
    for (const [name, run] of [...named.slice(first), ...named.slice(0, first)]) results.get(name)?.push(await run());
  }
  return Object.fromEntries(results) as Record<Name, Result[]>;
}

/**
 * Starts all sides, each time another one first: of two equal programs, the one that was started first is often a little
 * faster.
 */
export async function startedInTurn<Name extends string, Started>(
  start: number,
  sides: Readonly<Record<Name, () => Promise<Started>>>,
): Promise<Record<Name, Started>> {
  // The keys of the record are its names; entries() loses that type.
  const named = Object.entries(sides) as [Name, () => Promise<Started>][];
  const first = start % named.length;
  const started: [Name, Started][] = [];
  for (const [name, run] of [...named.slice(first), ...named.slice(0, first)]) started.push([name, await run()]);
  return Object.fromEntries(started) as Record<Name, Started>;
}
