const maxExamples = 3;

/** Violated guarantees by kind, with a few examples: a thousand lines of one kind would hide the others. */
export interface Violations {
  readonly add: (kind: string, example: string) => void;
  readonly count: (kind: string) => number;
  readonly texts: () => string[];
}

export function violations(): Violations {
  const kinds = new Map<string, { count: number; examples: string[] }>();
  return {
    add: (kind, example) => {
      const known = kinds.get(kind) ?? { count: 0, examples: [] };
      known.count++;
      if (known.examples.length < maxExamples) known.examples.push(example);
      kinds.set(kind, known);
    },
    count: (kind) => kinds.get(kind)?.count ?? 0,
    texts: () => [...kinds].map(([kind, { count, examples }]) => `${kind} (${count} ×): ${examples.join("; ")}`),
  };
}
