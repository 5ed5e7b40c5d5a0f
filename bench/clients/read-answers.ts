import type { Socket } from "node:net";

const headEnd = Buffer.from("\r\n\r\n");
/** Of the contract's envelope, and of a stored push. */
const successes = [Buffer.from('{"isResultSuccess":true,'), Buffer.from('{"ids":["evt_')];
const longest = Math.max(...successes.map(({ length }) => length));

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
      if (bodyStart < headEnd.length || received.length < bodyStart + longest) return;
      if (!isSuccess(received, bodyStart)) {
        return tell.onFailure(new Error(`no success: ${received.toString()}`));
      }
      missing = bodyStart + contentLength(received, bodyStart) - received.length;
      received = null;
    }
    if (missing <= 0) tell.onSuccess();
  });
}

const isSuccess = (answer: Buffer, bodyStart: number): boolean =>
  successes.some((success) => success.equals(answer.subarray(bodyStart, bodyStart + success.length)));

function contentLength(answer: Buffer, bodyStart: number): number {
  const found = /content-length: (\d+)/i.exec(answer.toString("latin1", 0, bodyStart));
  if (found === null) throw new Error("an answer without a length cannot be counted here");
  return Number(found[1]);
}
