import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What is to be done once the sender is known to have taken the answer, by its connection. */
const pending = new WeakMap<Socket, () => void>();

/**
 * Calls back when an answer was written completely to a sender that was still there. Written is not taken: one
 * that has lost patience may have hung up, and the system accepts the bytes all the same. So the connection must
 * outlive what the system already knew when the answer was written, which is read within the next two turns.
 */
export function whenTaken(response: ServerResponse, taken: () => void): void {
  const { socket } = response;
  response.once("finish", () => {
    // A sender that asked for the connection to be closed after the answer: its end says nothing.
    if (socket === null || !response.shouldKeepAlive) return taken();
    let isOver = false;
    const once = () => {
      if (isOver) return;
      isOver = true;
      pending.delete(socket);
      taken();
    };
    pending.set(socket, once);
    const isThere = () => !socket.destroyed && !socket.readableEnded;
    setImmediate(() => setImmediate(() => isThere() && once()));
  });
}

/** A further request on the same connection proves that the answer before it arrived. */
export const provesTaken = (socket: Socket): void => pending.get(socket)?.();
