import type { Random } from "../../kit/ids.ts";

/** The faults of the ERP, by their names on the command line. */
const erpFaults = {
  "5xx": "answers with status 500 or 503",
  slow: "answers late; slow=5%:1500ms says how late",
  hang: "never answers",
  html: "answers with a page of a proxy instead of JSON, and status 200",
  lost: "processes the request, and cuts the connection instead of answering",
  down: "cuts every connection",
} as const;
export type ErpFault = keyof typeof erpFaults;
const drawn = ["5xx", "slow", "hang", "html", "lost"] as const satisfies readonly ErpFault[];

export interface ErpFaults {
  readonly shares: Readonly<Record<(typeof drawn)[number], number>>;
  readonly slowMs: number;
  readonly isDown: boolean;
}

export const noErpFaults: ErpFaults = {
  ...{ shares: { "5xx": 0, slow: 0, hang: 0, html: 0, lost: 0 }, slowMs: 2000, isDown: false },
};

/** Reads `5xx=1%,slow=5%:1500ms,down`. */
export function readErpFaults(text: string): ErpFaults | { readonly problem: string } {
  const shares = { ...noErpFaults.shares };
  let { slowMs, isDown } = noErpFaults;
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue;
    if (part === "down") {
      isDown = true;
      continue;
    }
    const [, name = "", percent = "", lateMs] = /^(\w+)=(\d{1,3}(?:\.\d+)?)%(?::(\d{1,6})ms)?$/.exec(part) ?? [];
    const fault = drawn.find((one) => one === name);
    if (fault === undefined || Number(percent) > 100 || (lateMs !== undefined && fault !== "slow")) {
      const all = Object.keys(erpFaults).join(", ");
      return { problem: `"${part}" is no fault; write for instance 5xx=1%,slow=5%:1500ms,down. There are ${all}` };
    }
    shares[fault] = Number(percent) / 100;
    if (lateMs !== undefined) slowMs = Number(lateMs);
  }
  return { shares, slowMs, isDown };
}

export function drawErpFault(random: Random, { shares, isDown }: ErpFaults): ErpFault | null {
  // Always the same number of draws, so that switching one fault off does not change the others.
  const hit = drawn.filter((name) => random.chance(shares[name]));
  return isDown ? "down" : (hit[0] ?? null);
}

/** One request and its outcome, as shown at `/control/recorded`. */
interface RecordedRequest {
  readonly index: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** The idempotency key. A repeat has the same one. */
  readonly key: string | null;
  /** Parsed if it was JSON; long bodies are cut. */
  readonly body: unknown;
  /** Null if the request was not answered. */
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
