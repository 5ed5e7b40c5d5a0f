import type { Readable } from "node:stream";
import type { CapturedBody } from "./captured-call.ts";

/** Keeps a copy of what goes by, up to a size, and of all together up to another. */
export interface Tee {
  readonly watch: (stream: Readable) => () => CapturedBody;
}

export function openTee({ mostBytes, mostTogether }: { mostBytes: number; mostTogether: number }): Tee {
  let together = 0;
  return {
    watch: (stream) => {
      let chunks: Buffer[] | null = [];
      let size = 0;
      stream.on("data", (chunk: Buffer) => {
        if (chunks === null) return;
        size += chunk.length;
        together += chunk.length;
        if (size <= mostBytes && together <= mostTogether) {
          chunks.push(chunk);
          return;
        }
        chunks = null;
        together -= size;
      });
      return () => {
        if (chunks === null) return null;
        // A copy of its own: it is handed over to another thread, and what it was cut out of must stay here.
        const body = new Uint8Array(Buffer.concat(chunks));
        together -= size;
        chunks = null;
        return body;
      };
    },
  };
}
