import { connect, type Socket } from "node:net";

const headEnd = Buffer.from("\r\n\r\n");
/** How a successful answer begins: the contract's envelope, and the answer to a stored push. */
const successes = [Buffer.from('{"isResultSuccess":true,'), Buffer.from('{"ids":["evt_')];
const longest = Math.max(...successes.map(({ length }) => length));
const lengthHeader = Buffer.from("content-length: ");
const digitZero = 0x30;

export interface AnswerReader {
  readonly onConnect?: () => void;
  readonly onSuccess: () => void;
  readonly onFailure: (error: Error) => void;
}

/**
 * Opens a connection and reports when an answer has been read completely. An unsuccessful answer or a broken connection
 * is a failure. It reads into one buffer and does not parse, because on a small machine the load generator takes
 * processor time from the server.
 */
export function connectAndRead(port: number, hostname: string, event: AnswerReader): Socket {
  let begun: Buffer | null = null;
  let missing = 0;

  const read = (chunk: Buffer): void => {
    if (missing > 0) missing -= chunk.length;
    else {
      const received = begun === null ? chunk : Buffer.concat([begun, chunk]);
      const bodyStart = received.indexOf(headEnd) + headEnd.length;
      if (bodyStart < headEnd.length || received.length < bodyStart + longest) {
        // Copied, because the next chunk is read into the same buffer.
        begun = Buffer.from(received);
        return;
      }
      begun = null;
      if (!isSuccess(received, bodyStart)) {
        event.onFailure(new Error(`no success: ${received.toString()}`));
        return;
      }
      missing = bodyStart + contentLength(received) - received.length;
    }
    if (missing <= 0) event.onSuccess();
  };

  const socket = connect({
    port,
    host: hostname,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback: (bytes, buffer) => {
        read((buffer as Buffer).subarray(0, bytes));
        return true;
      },
    },
  });
  if (event.onConnect !== undefined) socket.once("connect", event.onConnect);
  return socket.on("error", event.onFailure);
}

const isSuccess = (answer: Buffer, bodyStart: number): boolean =>
  successes.some((success) => success.compare(answer, bodyStart, bodyStart + success.length) === 0);

/** Finds the header in one letter case only, because all measured servers write it like that. */
function contentLength(answer: Buffer): number {
  const found = answer.indexOf(lengthHeader);
  if (found < 0) throw new Error("an answer without a length cannot be counted here");
  let length = 0;
  for (let at = found + lengthHeader.length; ; at++) {
    const digit = (answer[at] ?? 0) - digitZero;
    if (digit < 0 || digit > 9) return length;
    length = length * 10 + digit;
  }
}
