import type { IncomingHttpHeaders } from "node:http";
import type { FoundRow } from "./find-row.ts";

/** One call as it went through the proxy, with everything that must not be written down. */
export interface CapturedCall {
  readonly sequence: number;
  readonly atMs: number;
  readonly tookMs: number;
  readonly found: FoundRow;
  readonly method: string;
  readonly requestHeaders: IncomingHttpHeaders;
  readonly request: CapturedBody;
  readonly answer: {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: CapturedBody;
  } | null;
}

/** The bytes; null where there were more than are kept. */
export type CapturedBody = Uint8Array | null;
