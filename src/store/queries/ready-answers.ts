export interface ReadyAnswers<Answer> {
  readonly get: (key: string) => Answer | undefined;
  readonly keep: (key: string, answer: Answer, size: number) => void;
  readonly drop: () => void;
}

/**
 * A bounded memory of finished answers; those not used for long go first. The store is far slower than the rest of
 * a scan, and the same label is often scanned again.
 */
export function readyAnswers<Answer>(limits: { maxCount: number; maxBytes: number }): ReadyAnswers<Answer> {
  // A use only marks an answer: to move it within the map at every scan would take as long as all the rest of the
  // look-up. Where room is needed, the map is gone through by age, and a marked answer gets another turn.
  const kept = new Map<string, { readonly answer: Answer; readonly bytes: number; isUsed: boolean }>();
  let bytes = 0;

  const forget = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };

  return {
    get: (key) => {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      entry.isUsed = true;
      return entry.answer;
    },
    keep: (key, answer, size) => {
      forget(key);
      // Codes come from outside and count too: four-kilobyte codes must not fill what four-byte codes may.
      const entry = { answer, bytes: size + key.length, isUsed: false };
      if (entry.bytes > limits.maxBytes) return;
      kept.set(key, entry);
      bytes += entry.bytes;
      for (const [oldestKey, oldest] of kept) {
        if (kept.size <= limits.maxCount && bytes <= limits.maxBytes) break;
        if (oldest.isUsed) {
          kept.delete(oldestKey);
          kept.set(oldestKey, { ...oldest, isUsed: false });
        } else forget(oldestKey);
      }
    },
    drop: () => {
      kept.clear();
      bytes = 0;
    },
  };
}
