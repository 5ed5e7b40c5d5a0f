import { createHash } from "node:crypto";

/** A process that may own deployments; its weight decides how many it gets compared with others. */
export interface Candidate {
  readonly name: string;
  readonly weight: number;
}

/**
 * Returns the process that should own a deployment (weighted rendezvous hashing). Every process computes the same
 * result. If a process joins or leaves, only the deployments that it gets or had change their owner. Null if there is
 * no process.
 */
export function wantedProcess<One extends Candidate>(processes: readonly One[], deployment: string): One | null {
  let wanted: One | null = null;
  let highest = Number.NEGATIVE_INFINITY;
  for (const one of processes) {
    const score = -one.weight / Math.log(fractionOf(`${one.name}\n${deployment}`));
    if (score > highest || (score === highest && wanted !== null && one.name < wanted.name)) {
      wanted = one;
      highest = score;
    }
  }
  return wanted;
}

/** Returns a number between 0 and 1, neither of them included, evenly spread. */
function fractionOf(text: string): number {
  const bits = createHash("sha256").update(text).digest().readUIntBE(0, 6);
  return (bits + 1) / (2 ** 48 + 2);
}
