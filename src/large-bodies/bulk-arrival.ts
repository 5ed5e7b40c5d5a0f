import type { QueryId } from "../contract/operations.ts";
import { DeadlineExceeded, withDeadline } from "../kit/time/clock.ts";
import { Fault } from "../operation/fault.ts";
import { asSent, type BulkPiece, bulkCutter } from "../server/connection/bulk-cutter.ts";
import type { BulkThreads } from "./bulk-threads.ts";
import type { BulkPart } from "./bulk-worker.ts";

/** A large body while it arrives. */
export interface Arrival {
  readonly take: (chunk: Uint8Array) => void;
  /**
   * Resolves with the answer elements of each part when the body is complete; null if it can only be answered as a
   * whole.
   */
  readonly elements: () => Promise<readonly Uint8Array[] | null>;
  /** Returns the bytes as they were sent. Call it only when no part is in another thread any more. */
  readonly chunks: () => readonly Uint8Array<ArrayBuffer>[];
  /** Releases everything that was kept of the body. */
  readonly drop: () => void;
}

interface Part {
  piece: BulkPiece;
  elements: Promise<Uint8Array | null> | null;
}

/**
 * Answers are kept until the last part is known to be valid. Above this limit the whole body is answered as a stream.
 */
const maxHeldBytes = 64 * 2 ** 20;

/**
 * Cuts a body into parts while it arrives, if its list can be answered element by element, and has the parts processed.
 */
export function bulkArrival(needs: {
  readonly id: QueryId;
  readonly acceptLanguage: string | undefined;
  readonly isByElement: boolean;
  /** Whether parts are processed before the last byte has arrived. Their answers take memory until then. */
  readonly isAhead: boolean;
  readonly pieceBytes: number;
  readonly budgetMs: number;
  readonly threads: BulkThreads;
}): Arrival {
  const { id, acceptLanguage, isByElement, isAhead, budgetMs, threads } = needs;
  const cutter = bulkCutter({ isList: isByElement, pieceBytes: needs.pieceBytes });
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const parts: Part[] = [];
  let heldBytes = 0;
  let isFit = isByElement;

  const work = async (part: Part): Promise<Uint8Array | null> => {
    const { piece } = part;
    const reply = await threads.run({ partOf: id, chunks: piece.chunks, acceptLanguage }, () => isFit);
    begin();
    if (reply === null) {
      isFit = false;
      return null;
    }
    // The reply to a part is always a part.
    const { elements, chunks } = (await reply.first) as BulkPart;
    part.piece = { ...piece, chunks };
    heldBytes += elements?.length ?? 0;
    if (elements === null || heldBytes > maxHeldBytes) isFit = false;
    return elements;
  };

  const workOn = (part: Part) => {
    part.elements ??= work(part);
    // `elements` reports the error to its caller. If the sender hangs up first, there is no caller.
    part.elements.catch(() => {});
    return part.elements;
  };

  const add = (piece: BulkPiece | null) => {
    if (piece === null) return;
    const part: Part = { piece, elements: null };
    parts.push(part);
    if (isAhead && isFit && cutter.isCut()) void workOn(part);
  };

  const giveUp = () => {
    isFit = false;
  };

  return {
    take: (chunk) => add(cutter.take(chunk)),
    elements: async () => {
      const rest = cutter.end();
      // Must come first: a body with a single part is answered as a whole, so its part must not be processed.
      isFit &&= cutter.isCut() && parts.length + (rest === null ? 0 : 1) > 1;
      add(rest);
      // Running parts are awaited in any case, because they return their bytes.
      const all = Promise.all(parts.map((part) => (isFit ? workOn(part) : part.elements)));
      if (isFit) await begun;
      const found = await withDeadline(all, budgetMs, giveUp).catch((error: unknown) => {
        throw error instanceof DeadlineExceeded ? new Fault("unreachable", error.message, { cause: error }) : error;
      });
      return isFit ? found.filter((elements) => elements !== null) : null;
    },
    chunks: () => parts.flatMap(({ piece }) => asSent(piece)),
    drop: () => {
      giveUp();
      // Released at once: the garbage collector would run late and would scan the whole heap of the main thread.
      for (const { piece } of parts) {
        for (const { buffer } of piece.chunks) if (!buffer.detached) buffer.transfer(0);
      }
    },
  };
}
