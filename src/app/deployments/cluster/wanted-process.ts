import { createHash } from "node:crypto";

/** A process that may own deployments, and how many compared with others. */
export interface Candidate {
  readonly name: string;
  readonly weight: number;
}

/**
 * Which process should own a deployment: the same for whoever computes it (weighted rendezvous hashing). If a process
 * joins or leaves, only the deployments that it gets or had change their owner. Null if there is no process.
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

/** Between 0 and 1, never one of them, and evenly spread. */
function fractionOf(text: string): number {
  const bits = createHash("sha256").update(text).digest().readUIntBE(0, 6);
  return (bits + 1) / (2 ** 48 + 2);
}
