/** A fault put into one source file of the implementation, for as long as one process runs. */
export interface PlantedFault {
  /** What it does, as a sentence without its subject. */
  readonly name: string;
  /** From the top of the repository. */
  readonly file: string;
  /** Has to stand there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Each of them once led to wrong stock; the reference model has to notice it. */
export const plantedFaults: readonly PlantedFault[] = [];
