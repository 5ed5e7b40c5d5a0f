import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";

/** The plain connection under a secure one. Only the plain one can be reset; resetting the secure one throws. */
const plainUnder = new WeakMap<Socket, Socket>();

/** An agent with one kept connection that can be reset. */
export function resettableAgent(trust: ConnectionOptions | null): Agent {
  const settings = { keepAlive: true, maxSockets: 1 };
  if (trust === null) return new Agent(settings);
  const agent = new SecureAgent({ ...settings, ...trust });
  agent.createConnection = (options) => {
    // The options belong to a request over HTTPS, which has all three.
    const { port, host, servername } = options as { port: number; host: string; servername: string };
    const plain = connect({ port, host });
    const secure = connectSecurely({ ...trust, servername, socket: plain });
    // Without this listener, a refused connection would be an unhandled error.
    plain.once("error", (error) => secure.destroy(error));
    plainUnder.set(secure, plain);
    return secure;
  };
  return agent;
}

/**
 * Resets the connection instead of ending it, because the owner takes an ordinary end for a caller that has read its
 * answer.
 */
export function resetConnection(connection: Socket): void {
  (plainUnder.get(connection) ?? connection).resetAndDestroy();
  connection.destroy();
}
