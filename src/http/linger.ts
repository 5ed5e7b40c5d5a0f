import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Reads on behind an answer that was given before the body had come to its end. Many clients, those of .NET among them, read
 * no answer before they have sent all; where the connection is closed on them they know only of a broken pipe. Bounded by
 * time and size, since nothing of it is wanted.
 */
export function linger(
  request: IncomingMessage,
  response: ServerResponse,
  { maxMs, maxBytes }: { readonly maxMs: number; readonly maxBytes: number },
): void {
  response.once("finish", () => {
    if (request.complete || request.destroyed) return;
    const { socket } = request;
    const { bytesRead } = socket;
    let looks = 0;
    const timer = setInterval(() => {
      looks++;
      // What is forgotten is not told as data: only the connection knows how much it was.
      if (looks * everyMs >= maxMs || socket.bytesRead - bytesRead > maxBytes) request.destroy();
    }, everyMs);
    timer.unref();
    const stop = () => clearInterval(timer);
    request.once("end", stop).once("close", stop);
    request.resume();
  });
}

const everyMs = 200;
