import { useEffect, useState } from "preact/hooks";
import { reachedBy } from "../../live.ts";
import { session } from "../../session.ts";

interface State<Answer> {
  /** What the answer is about. */
  readonly key: string;
  readonly answer: Answer | null;
  readonly error: string;
  readonly isBusy: boolean;
}

/**
 * Asks the adapter after a pause in typing, and again when it is reached again or somebody has signed in again. A
 * request that a later one has overtaken is cancelled: its answer would be about an earlier text.
 */
export function useAfterPause<Answer>(
  key: string,
  run: ((signal: AbortSignal) => Promise<Answer>) | null,
  waitMs = 400,
) {
  const [state, setState] = useState<State<Answer>>({ key: "", answer: null, error: "", isBusy: false });
  const reached = reachedBy.value;
  const isSignedIn = session.value != null;
  useEffect(() => {
    if (run === null || !isSignedIn) return undefined;
    const abort = new AbortController();
    const set = (next: (before: State<Answer>) => State<Answer>) => {
      if (!abort.signal.aborted) setState(next);
    };
    const timer = setTimeout(() => {
      set((before) => ({ ...before, isBusy: true }));
      run(abort.signal)
        .then((answer) => set(() => ({ key, answer, error: "", isBusy: false })))
        .catch((error: Error) => set(() => ({ key, answer: null, error: error.message, isBusy: false })));
    }, waitMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, reached, isSignedIn]);
  // Nothing is asked now: an earlier answer would be taken for one about what is typed.
  if (run === null) return { key, answer: null, error: "", isBusy: false, isCurrent: false };
  /** Until the answer is about what is typed now, nothing may be done because of it. */
  return { ...state, isCurrent: state.key === key };
}
