import { createHash, generateKeyPairSync } from "node:crypto";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { systemTimers } from "../../../kit/time/timers.ts";
import { openStore } from "./open-store.ts";

// OpenSSH checks only passwords of the machine's own users, so this test uses the library's own server.
const library = createRequire(createRequire(import.meta.url).resolve("ssh2-sftp-client"))("ssh2") as Ssh;

interface Ssh {
  readonly Server: new (options: object, onClient: (client: Peer) => void) => Listening;
  readonly utils: { readonly parseKey: (key: string) => { getPublicSSH: () => Buffer } };
}
interface Peer {
  on(event: "authentication", listener: (attempt: Attempt) => void): Peer;
  on(event: "ready" | "error" | "close", listener: () => void): Peer;
  on(event: "session", listener: (accept: () => Peer) => void): Peer;
  on(event: "sftp", listener: (accept: () => Sftp) => void): Peer;
}
interface Attempt {
  readonly method: string;
  readonly username: string;
  readonly password?: string;
  accept(): void;
  reject(methods: readonly string[]): void;
}
interface Sftp {
  on(event: "OPENDIR" | "READDIR" | "CLOSE", listener: (id: number, what: unknown) => void): Sftp;
  handle(id: number, handle: Buffer): void;
  status(id: number, code: number): void;
}
interface Listening {
  listen(port: number, host: string, then: () => void): void;
  address(): AddressInfo;
  close(): void;
}

async function passwordServer(given: { isSilent?: boolean } = {}) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const server = new library.Server({ hostKeys: [pem] }, (client) => {
    client
      .on("error", () => {})
      .on("authentication", (attempt) => {
        const { method, username, password } = attempt;
        if (method === "password" && username === "erp" && password === "right-password") attempt.accept();
        else attempt.reject(["password"]);
      })
      .on("session", (acceptSession) => {
        acceptSession().on("sftp", (acceptSftp) => {
          const sftp = acceptSftp();
          sftp.on("OPENDIR", (id) => {
            if (given.isSilent !== true) sftp.handle(id, Buffer.from("h"));
          });
          sftp.on("READDIR", (id) => sftp.status(id, 1));
          sftp.on("CLOSE", (id) => sftp.status(id, 0));
        });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close());
  const key = library.utils.parseKey(pem).getPublicSSH();
  const hostKey = `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
  return { port: server.address().port, hostKey };
}

const opened = (sftp: { port: number; hostKey: string; password: string; timeoutMs?: number }) => {
  const store = openStore({ location: "sftp://127.0.0.1/in", sftp: { username: "erp", ...sftp } }, systemTimers);
  onTestFinished(() => store.close());
  return store;
};

test("a password opens the door, a wrong one does not", async () => {
  const server = await passwordServer();
  const right = opened({ ...server, password: "right-password" });
  expect(await right.list("", () => true, 1)).toEqual({ files: [], unusable: [] });
  await expect(opened({ ...server, password: "wrong-password" }).list("", () => true, 1)).rejects.toThrow(
    "refused the login of erp",
  );
});

test("a server that stops answering is abandoned after the timeout and reported as unreachable", async () => {
  const server = await passwordServer({ isSilent: true });
  const store = opened({ ...server, password: "right-password", timeoutMs: 1_000 });
  await expect(store.list("", () => true, 1)).rejects.toMatchObject({
    kind: "unreachable",
    message: expect.stringContaining("did not answer within 1000 ms"),
  });
});
