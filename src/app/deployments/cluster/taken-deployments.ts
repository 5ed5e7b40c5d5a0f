import type { ServingProcess, TakenDeployment } from "../../../replication/postgres/processes.ts";
import { wantedProcess } from "./wanted-process.ts";

/**
 * Returns the process to which a person gave the deployment last; null if nobody did, or that process is about to stop.
 * Of two that were given it at the same moment, every process chooses the same one.
 */
export function takerOf<One extends Pick<ServingProcess, "name" | "weight" | "taken">>(
  processes: readonly One[],
  deployment: string,
): One | null {
  let taker: One | null = null;
  let highest = 0;
  for (const one of processes) {
    const number = one.weight === 0 ? 0 : numberIn(one.taken, deployment);
    if (number < highest || number === 0 || (number === highest && taker !== null && taker.name < one.name)) continue;
    taker = one;
    highest = number;
  }
  return taker;
}

/**
 * The process that should own a deployment: the one that a person chose, else the one that its weight chooses among those
 * that have its configuration.
 */
export const choiceAmong = <One extends ServingProcess>(processes: readonly One[], deployment: string): One | null =>
  takerOf(processes, deployment) ??
  wantedProcess(
    processes.filter(({ lacks }) => !lacks.includes(deployment)),
    deployment,
  );

/** The deployments that people gave to this process. They stay with it until it stops, or another one is given them. */
export interface TakenDeployments {
  readonly take: (deployment: string, known: readonly Pick<ServingProcess, "taken">[]) => void;
  /** False if it was withdrawn, for example because another process was given it later. */
  readonly has: (deployment: string) => boolean;
  /** Takes it back; with a number, only if it was not taken again since. */
  readonly withdraw: (deployment: string, number?: number) => void;
  /** What is told to the other processes: of those that are still open here. */
  readonly list: (isOpen: (deployment: string) => boolean) => readonly TakenDeployment[];
}

export function takenDeployments(): TakenDeployments {
  const numbers = new Map<string, number>();
  return {
    take: (deployment, known) => {
      const others = known.map(({ taken }) => numberIn(taken, deployment));
      numbers.set(deployment, Math.max(numbers.get(deployment) ?? 0, ...others) + 1);
    },
    has: (deployment) => numbers.has(deployment),
    withdraw: (deployment, number = numbers.get(deployment)) => {
      if (numbers.get(deployment) === number) numbers.delete(deployment);
    },
    list: (isOpen) => {
      // One that was closed because nobody used it is opened by the process that gets its next request.
      for (const name of [...numbers.keys()]) if (!isOpen(name)) numbers.delete(name);
      return [...numbers].map(([name, number]) => ({ name, number }));
    },
  };
}

/** Under which number a process was given the deployment; 0 if it was not. */
export const numberIn = (taken: readonly TakenDeployment[], deployment: string): number =>
  taken.find(({ name }) => name === deployment)?.number ?? 0;
