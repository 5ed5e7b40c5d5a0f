import type { Socket } from "node:net";

const start = Buffer.from("HTTP/1.1 100");
const end = Buffer.from("\r\n\r\n");
/** An interim answer has one or two lines; longer input goes to the parser, which ends the connection. */
const maxBytes = 1_024;

/**
 * Removes interim answers `100 Continue` from a socket's input. Old SOAP services and proxies send them
 * without being asked, and clients must ignore them (RFC 9110, 15.2); undici ends the connection instead. The returned
 * function announces that an answer is expected: within a body the same bytes are content.
 */
export function skipContinue(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let isDue = false;
  let held: Buffer = Buffer.alloc(0);
  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (chunk === null || !isDue) return chunk;
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = Buffer.alloc(0);
    while (rest.length > 0 && mayBeInterim(rest)) {
      const endsAt = rest.indexOf(end);
      if (endsAt === -1 && rest.length > maxBytes) break;
      if (endsAt === -1) {
        held = rest;
        return null;
      }
      rest = rest.subarray(endsAt + end.length);
    }
    if (rest.length === 0) return null;
    isDue = false;
    return rest;
  };
  return () => {
    isDue = true;
  };
}

function mayBeInterim(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
}
