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

  app.addHook("onRequest", (request, _reply, done) => {
    if (request.method !== "GET" && !(Number(request.headers["content-length"]) > sparedBytes)) {
      reading.set(request.raw, sweeps);
    }
    done();
  });
  app.addHook("preValidation", (request, _reply, done) => {
    reading.delete(request.raw);
    done();
  });
  app.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
}
