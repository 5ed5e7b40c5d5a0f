import type { Socket } from "node:net";

const headEnd = Buffer.from("\r\n\r\n");
const success = Buffer.from('{"isResultSuccess":true,');

/** Tells when an answer has been read to its end; one that is no success, or a broken connection, is a failure. */
export function readAnswers(
  socket: Socket,
  tell: { readonly onSuccess: () => void; readonly onFailure: (error: Error) => void },
): void {
  let received: Buffer | null = null;
  let missing = 0;
  socket.setNoDelay(true);
  socket.on("error", tell.onFailure);
  socket.on("data", (chunk) => {
    if (missing > 0) missing -= chunk.length;
    else {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const bodyStart = received.indexOf(headEnd) + headEnd.length;
      if (bodyStart < headEnd.length || received.length < bodyStart + success.length) return;
      if (received.compare(success, 0, success.length, bodyStart, bodyStart + success.length) !== 0) {
        return tell.onFailure(new Error(`no success: ${received.toString()}`));
      }
      missing = bodyStart + contentLength(received, bodyStart) - received.length;
      received = null;
    }
    if (missing <= 0) tell.onSuccess();
  });
}

function contentLength(answer: Buffer, bodyStart: number): number {
  const found = /content-length: (\d+)/i.exec(answer.toString("latin1", 0, bodyStart));
  if (found === null) throw new Error("an answer without a length cannot be counted here");
  return Number(found[1]);
}
