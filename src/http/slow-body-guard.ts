import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

/**
 * Ends connections that send a small body too slowly. The server's own limit has to allow for large files
 * over slow lines; without this one, a thousand idle senders could hold every connection for two minutes.
 */
export function slowBodyGuard(
  app: FastifyInstance,
  { maxMs, sparedBytes }: { maxMs: number; sparedBytes: number },
): void {
  const reading = new Map<IncomingMessage, number>();
  let sweeps = 0;
  const sweepMs = 5_000;
  const sweep = setInterval(() => {
    sweeps++;
    for (const [request, since] of reading) {
      if ((sweeps - since) * sweepMs > maxMs) request.destroy();
      if (request.destroyed) reading.delete(request);
    }
  }, sweepMs);
  sweep.unref();

  // At the server itself: hooks of the library would be gone through by every scan, which has no body.
  app.server.on("request", (request: IncomingMessage) => {
    if (request.method === "GET" || Number(request.headers["content-length"]) > sparedBytes) return;
    reading.set(request, sweeps);
    request.once("end", () => reading.delete(request));
  });
  app.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
}
