export interface ReadyAnswers<Answer> {
  readonly get: (key: string) => Answer | undefined;
  readonly keep: (key: string, answer: Answer, size: number) => void;
  readonly drop: () => void;
}

/**
 * A bounded memory of finished answers, the least recently used going first. The store is far slower than the
 * rest of a scan, and the same label is often scanned again.
 */
export function readyAnswers<Answer>(limits: { maxCount: number; maxBytes: number }): ReadyAnswers<Answer> {
  // A Map keeps its keys in order of insertion: the first one is the one longest unused.
  const kept = new Map<string, { answer: Answer; bytes: number }>();
  let bytes = 0;

  const forget = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };

  return {
    get: (key) => {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.answer;
    },
    keep: (key, answer, size) => {
      forget(key);
      // Codes come from outside and count too: four-kilobyte codes must not fill what four-byte codes may.
      const entry = { answer, bytes: size + key.length };
      if (entry.bytes > limits.maxBytes) return;
      kept.set(key, entry);
      bytes += entry.bytes;
      for (const oldest of kept.keys()) {
        if (kept.size <= limits.maxCount && bytes <= limits.maxBytes) break;
        forget(oldest);
      }
    },
    drop: () => {
      kept.clear();
      bytes = 0;
    },
  };
}
