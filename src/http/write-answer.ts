import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import type { Answer } from "./answer.ts";
import type { BulkAnswer } from "./bulk-road.ts";

export function writeAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.status(answer.status).header("content-type", answer.contentType);
  if (typeof answer.body === "string") return reply.send(answer.body);
  return writePieces(reply, answer.contentType, answer.body);
}

export function writeChunks(reply: FastifyReply, answer: BulkAnswer): FastifyReply {
  reply.status(answer.status);
  return writePieces(reply, answer.contentType, answer.chunks);
}

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Separators and the like are not worth a turn of their own. */
const smallPiece = 1024;

/** Past the server library, which would collect the pieces; between two of them other requests get their turn. */
export function writePieces(reply: FastifyReply, contentType: string, pieces: Pieces): FastifyReply {
  const { raw } = reply;
  const headers = { ...reply.getHeaders(), "content-type": contentType } as Record<string, string>;
  reply.hijack();
  raw.writeHead(reply.statusCode, headers);
  if (reply.request.method === "HEAD") raw.end();
  else void sendAll(raw, pieces);
  return reply;
}

async function sendAll(raw: ServerResponse, pieces: Pieces): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (raw.destroyed) return;
      const isRoom = raw.write(piece);
      if (piece.length < smallPiece) continue;
      if (!isRoom) await drained(raw);
      // Also after draining: a reader on a fast line empties the buffer within the same turn, again and again.
      await nextTurn();
    }
    raw.end();
  } catch {
    // The head is out already, so there is no way to say it in words: a broken connection is the honest answer.
    raw.destroy();
  }
}

/** Until the reader has taken what was written, or has gone. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off("drain", done);
      raw.off("close", done);
      resolve();
    };
    raw.once("drain", done);
    raw.once("close", done);
  });
}
