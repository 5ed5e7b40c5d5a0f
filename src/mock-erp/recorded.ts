/** What one request was and what became of it; read at `/control/recorded`. */
export interface RecordedRequest {
  readonly index: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** The id that a repeat has too. */
  readonly key: string | null;
  /** As JSON where it was some; long ones are cut. */
  readonly body: unknown;
  /** Null where it was not answered. */
  readonly status: number | null;
  readonly fault: string | null;
}

export interface Recorded {
  readonly add: (request: Omit<RecordedRequest, "index">) => void;
  readonly since: (index: number) => readonly RecordedRequest[];
  readonly count: () => number;
  readonly clear: () => void;
}

const mostKept = 5000;

export function openRecorded(): Recorded {
  let kept: RecordedRequest[] = [];
  let count = 0;
  return {
    add: (request) => {
      kept.push({ index: count++, ...request });
      if (kept.length > mostKept * 1.2) kept = kept.slice(-mostKept);
    },
    since: (index) => kept.filter((request) => request.index >= index),
    count: () => count,
    clear: () => {
      kept = [];
    },
  };
}
