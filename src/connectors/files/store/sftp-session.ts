import { createHash } from "node:crypto";
import { connect as connectSocket, type Socket } from "node:net";
import type SftpClient from "ssh2-sftp-client";
import type { Timers } from "../../../kit/time/timers.ts";
import { Fault } from "../../../operation/fault.ts";

/** What the library speaks through. */
export type Sftp = Awaited<ReturnType<SftpClient["connect"]>>;
/** One exchange with the server, ended by its answer, by the loss of the connection, or by the time. */
export type Exchange = <T = void>(query: (callback: Callback<T>) => void) => Promise<T>;
// The library's callbacks differ in how they call an absent error and an absent value.
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

export interface SftpSession {
  /** Connects where there is no connection; one piece of work at a time. */
  readonly work: <T>(work: (sftp: Sftp, exchange: Exchange) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

interface Connection {
  readonly client: SftpClient;
  readonly sftp: Sftp;
  readonly socket: Socket;
  isLost: boolean;
}

export function sftpSession(login: SftpLogin, timers: Timers): SftpSession {
  const queue = inOrder();
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
          // The value of an exchange is what its own callback gives; for those that give none it is never looked at.
          else resolve(value as never);
        });
      });

  return {
    work: (work) =>
      queue(async () => {
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
          // A refusal by the server has a number; everything else leaves the connection in doubt.
          if (!isAnswer(error)) drop(current);
          throw error;
        }
      }),
    close: () => queue(async () => drop(connection)),
  };
}

/** Nobody waits for the farewell of a server that may be gone. */
function leave({ client, socket }: Pick<Connection, "client" | "socket">): void {
  void client.end().catch(() => {});
  socket.destroySoon();
}

/** Errors that the server answered with carry the numbers of the protocol. */
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
  let strayError = "";
  const lost = () => {
    if (open !== undefined) open.isLost = true;
  };
  const client = new Client("files", {
    error: (error) => {
      strayError = String(error);
      lost();
    },
    end: lost,
    close: lost,
  });
  const { host, port, user: username, password, privateKey, passphrase, timeoutMs } = login;
  // Our own socket: the library's waits 40 ms before each small packet, which is every one of them here.
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
    throw connectFault(error, login, foundKey, strayError);
  } finally {
    cancel();
  }
}

const fingerprint = (key: Buffer) => `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;

function connectFault(error: unknown, login: SftpLogin, foundKey: string, strayError: string): Fault {
  const where = `${login.host}:${login.port}`;
  if (foundKey !== "" && foundKey !== login.hostKey) {
    const text =
      `${where} has another key than the configured one: found ${foundKey}, expected ${login.hostKey}. ` +
      "Ask its administrator whether the key was changed; only if so, set `hostKey` to the one found";
    return new Fault("unreachable", text, { cause: error });
  }
  const said = error instanceof Error ? error.message : strayError || String(error);
  if (/authentication/i.test(said)) {
    return new Fault("unreachable", `${where} refused the login of ${login.user}; correct user, password or key`, {
      cause: error,
    });
  }
  if (/privateKey|passphrase/i.test(said)) {
    return new Fault("unreachable", `the private key cannot be used: ${said}`, { cause: error });
  }
  return new Fault("unreachable", `${where} was not reached: ${said}`, { cause: error });
}

/** Lets one thing happen after the other, in the order they were asked for; one that fails holds nobody up. */
export function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // Who gave the work hears of its error; the next one only waits for its end.
    last = mine.catch(() => {});
    return mine;
  };
}
