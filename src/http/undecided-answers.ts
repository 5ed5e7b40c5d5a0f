/** Answers that were written and are not known yet to have arrived, by what they answer. */
export interface UndecidedAnswers {
  readonly get: (said: string) => Promise<void> | undefined;
  /** Kept until it is decided. */
  readonly add: (said: string, decided: Promise<void>) => void;
}

export function undecidedAnswers(): UndecidedAnswers {
  const bySaid = new Map<string, Promise<void>>();
  return {
    get: (said) => bySaid.get(said),
    add: (said, decided) => {
      bySaid.set(said, decided);
      void decided.then(() => {
        if (bySaid.get(said) === decided) bySaid.delete(said);
      });
    },
  };
}
