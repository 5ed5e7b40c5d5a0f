import { createHash } from "node:crypto";
import { connect as connectSocket, type Socket } from "node:net";
import type SftpClient from "ssh2-sftp-client";
import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";
import { inTurns } from "./in-turns.ts";

/** The part of the library that is used. */
export type Sftp = Awaited<ReturnType<SftpClient["connect"]>>;
/** One request to the server. It ends with the response, the loss of the connection, or a timeout. */
export type Exchange = <T = void>(query: (callback: Callback<T>) => void) => Promise<T>;
// The library's callbacks differ in how they represent a missing error and a missing value.
export type Callback<T> = (error?: Error | null, value?: T) => void;

export interface SftpLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly passphrase?: string;
  /** `SHA256:` and 43 characters, as `ssh-keygen -lf` prints it. */
  readonly hostKey: string;
  readonly timeoutMs: number;
}

const workGroups = ["read", "write"] as const;
type WorkGroup = (typeof workGroups)[number];

export interface SftpSession {
  /**
   * Connects if there is no connection; runs one operation at a time. Reading and writing take turns: on a slow server,
   * each step of an import would otherwise wait for all event files that wait.
   */
  readonly work: <T>(group: WorkGroup, work: (sftp: Sftp, exchange: Exchange) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

interface Connection {
  readonly client: SftpClient;
  readonly sftp: Sftp;
  readonly socket: Socket;
  isLost: boolean;
}

export function sftpSession(login: SftpLogin, timers: Timers): SftpSession {
  const queue = inTurns();
  let connection: Connection | undefined;

  const drop = (lost: Connection | undefined) => {
    if (lost === undefined) return;
    lost.isLost = true;
    if (connection === lost) connection = undefined;
    leave(lost);
  };

  const exchangeOn =
    (open: Connection): Exchange =>
    (query) =>
      new Promise((resolve, reject) => {
        const cancel = timers.after(login.timeoutMs, () => {
          drop(open);
          reject(new Fault("unreachable", `${login.host} did not answer within ${login.timeoutMs} ms`));
        });
        query((error, value) => {
          cancel();
          if (error) reject(error);
          // The value is what the callback gives; requests without a value never read it.
          else resolve(value as never);
        });
      });

  return {
    work: (group, work) =>
      queue(group, async () => {
        connection ??= await connect(login, timers);
        const open = connection;
        if (open.isLost) {
          drop(open);
          connection = await connect(login, timers);
        }
        const current = connection ?? open;
        try {
          return await work(current.sftp, exchangeOn(current));
        } catch (error) {
          // A refusal by the server has a number. After any other error the state of the connection is unknown, so it
          // is closed.
          if (!isAnswer(error)) drop(current);
          throw error;
        }
      }),
    close: async () => {
      // What was begun before would open a new connection.
      for (const group of workGroups) await queue(group, async () => {});
      await queue("close", async () => drop(connection));
    },
  };
}

/** Closes without waiting: the server may be gone. */
function leave({ client, socket }: Pick<Connection, "client" | "socket">): void {
  void client.end().catch(() => {});
  socket.destroySoon();
}

/** Errors that the server sent carry the protocol's numbers. */
export const sftpCode = (error: unknown): number | null =>
  error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : null;

const lostCodes = new Set([6, 7]);
function isAnswer(error: unknown): boolean {
  const code = sftpCode(error);
  return code !== null && !lostCodes.has(code);
}

async function connect(login: SftpLogin, timers: Timers): Promise<Connection> {
  const { default: Client } = await import("ssh2-sftp-client").catch(() => {
    throw new Fault("unreachable", "SFTP needs a library that is not installed: npm install ssh2-sftp-client");
  });
  let open: Connection | undefined;
  let foundKey = "";
  let lastError = "";
  const lost = () => {
    if (open !== undefined) open.isLost = true;
  };
  const client = new Client("files", {
    error: (error) => {
      lastError = String(error);
      lost();
    },
    end: lost,
    close: lost,
  });
  const { host, port, user: username, password, privateKey, passphrase, timeoutMs } = login;
  // Our own socket: the library's socket would delay each small packet by 40 ms, and all packets here are small.
  const socket = connectSocket({ host, port, noDelay: true });
  const cancel = timers.after(timeoutMs * 2, () => socket.destroy(new Error("no answer in time")));
  try {
    const sftp = await client.connect({
      ...{ sock: socket, username, readyTimeout: timeoutMs, keepaliveInterval: 10_000, keepaliveCountMax: 3 },
      ...(password === undefined ? {} : { password }),
      ...(privateKey === undefined ? {} : { privateKey }),
      ...(passphrase === undefined ? {} : { passphrase }),
      hostVerifier: (key: Buffer) => {
        foundKey = fingerprint(key);
        return foundKey === login.hostKey;
      },
    });
    open = { client, sftp, socket, isLost: false };
    return open;
  } catch (error) {
    leave({ client, socket });
    throw connectFault(error, login, foundKey, lastError);
  } finally {
    cancel();
  }
}

const fingerprint = (key: Buffer) => `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;

function connectFault(error: unknown, login: SftpLogin, foundKey: string, strayError: string): Fault {
  const where = `${login.host}:${login.port}`;
  if (foundKey !== "" && foundKey !== login.hostKey) {
    const text =
      `${where} has a different key than configured: found ${foundKey}, expected ${login.hostKey}. ` +
      "Ask its administrator whether the key was changed; only if so, set `hostKey` to the one found";
    return new Fault("unreachable", text, { cause: error });
  }
  const reason = error instanceof Error ? error.message : strayError || String(error);
  if (/authentication/i.test(reason)) {
    return new Fault("unreachable", `${where} refused the login of ${login.user}; check user, password or key`, {
      cause: error,
    });
  }
  if (/privateKey|passphrase/i.test(reason)) {
    return new Fault("unreachable", `the private key cannot be used: ${reason}`, { cause: error });
  }
  return new Fault("unreachable", `${where} could not be reached: ${reason}`, { cause: error });
}

/** Runs one task after the other, in order of arrival; a failed task does not block the next. */
export function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // The caller gets the error of its task; the next task only waits for the end.
    last = mine.catch(() => {});
    return mine;
  };
}
