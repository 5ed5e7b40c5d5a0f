import { connect } from "node:net";

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** One keep-alive connection, one request at a time. */
export interface Line {
  /**
   * Returns null if there was no complete answer: the connection broke, or the wait timed out (then the line is
   * closed).
   */
  readonly send: (request: Buffer, timeoutMs?: number) => Promise<Answer | null>;
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

const headEnd = Buffer.from("\r\n\r\n");

/** Uses plain sockets: a full HTTP client would take processor time from the service under test. */
export function openLine(url: string): Promise<Line | null> {
  const { hostname, port } = new URL(url);
  let received: Buffer = Buffer.alloc(0);
  let answered: ((answer: Answer | null) => void) | null = null;
  let open = true;

  const settle = (answer: Answer | null) => {
    const settled = answered;
    answered = null;
    received = Buffer.alloc(0);
    settled?.(answer);
  };
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = wholeAnswer(received);
    if (answer !== null) settle(answer);
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    open = false;
    settle(null);
  });

  const line: Line = {
    isOpen: () => open,
    close: () => {
      open = false;
      socket.destroy();
    },
    send: (request, timeoutMs = 60_000) =>
      new Promise((resolve) => {
        if (!open) return resolve(null);
        const timer = setTimeout(() => line.close(), timeoutMs);
        answered = (answer) => {
          clearTimeout(timer);
          resolve(answer);
        };
        socket.write(request);
      }),
  };
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(line));
    socket.once("close", () => resolve(null));
  });
}

function wholeAnswer(received: Buffer): Answer | null {
  const bodyStart = received.indexOf(headEnd) + headEnd.length;
  if (bodyStart < headEnd.length) return null;
  const head = received.toString("latin1", 0, bodyStart);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < bodyStart + length) return null;
  const body = received.toString("utf8", bodyStart, bodyStart + length);
  return { status: Number(head.slice(9, 12)), head, body };
}
