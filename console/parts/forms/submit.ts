import { useState } from "preact/hooks";

/**
 * Sends something once: a second click while the answer is on its way does nothing, because the adapter would do it
 * twice or refuse it as outdated.
 */
export function useSubmit() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const submit = (send: () => Promise<unknown>): void => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    send()
      .catch(setProblem)
      .finally(() => setBusy(false));
  };
  return {
    isBusy,
    /** Why it did not work; null if it did, or is on its way. */
    problem,
    error: problem?.message ?? "",
    submit,
    clear: () => setProblem(null),
  };
}
