import type { QueryId } from "../contract/operations.ts";
import { DeadlineExceeded, withDeadline } from "../kit/time/clock.ts";
import { Fault } from "../operation/fault.ts";
import { asSent, type BulkPiece, bulkCutter } from "../server/connection/bulk-cutter.ts";
import type { BulkThreads } from "./bulk-threads.ts";
import type { BulkPart } from "./bulk-worker.ts";

/** What has arrived of a large body. */
export interface Arrival {
  readonly take: (chunk: Uint8Array) => void;
  /** The elements that answer each part, all of it being here; null where only the whole can be answered. */
  readonly elements: () => Promise<readonly Uint8Array[] | null>;
  /** The bytes as they were sent; to be asked for when no part of them is in another thread any more. */
  readonly chunks: () => readonly Uint8Array<ArrayBuffer>[];
  /** Nothing of it is needed any more. */
  readonly drop: () => void;
}

interface Part {
  piece: BulkPiece;
  elements: Promise<Uint8Array | null> | null;
}

/** Answers wait here until the last part is known to be right. Past this the whole is answered, which streams. */
const maxHeldBytes = 64 * 2 ** 20;

/** Cuts a body while it arrives where its list can be answered element by element, and has the parts worked on. */
export function bulkArrival(needs: {
  readonly id: QueryId;
  readonly acceptLanguage: string | undefined;
  readonly isByElement: boolean;
  /** Whether parts are worked on before the last byte is here: what answers them takes memory until then. */
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
    // A part is replied to with a part.
    const { elements, chunks } = (await reply.first) as BulkPart;
    part.piece = { ...piece, chunks };
    heldBytes += elements?.length ?? 0;
    if (elements === null || heldBytes > maxHeldBytes) isFit = false;
    return elements;
  };

  const workOn = (part: Part) => {
    part.elements ??= work(part);
    // Told to whoever asks for the answer; a sender that hangs up before leaves nobody to tell.
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
      // Decided first: a body of one part is answered as a whole, and its part not worked on before.
      isFit &&= cutter.isCut() && parts.length + (rest === null ? 0 : 1) > 1;
      add(rest);
      // Those under way are waited for in any case: their bytes come back with them.
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
      // Given back at once: the collector would come for them late, and look through all of the main thread's heap.
      for (const { piece } of parts) {
        for (const { buffer } of piece.chunks) if (!buffer.detached) buffer.transfer(0);
      }
    },
  };
}
