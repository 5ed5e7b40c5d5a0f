import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { whenAnswerReceived } from "../../server/connection/when-answer-received.ts";
import { passOn } from "./pass-on.ts";

const line = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

async function listen(handle: RequestListener): Promise<{ port: number; sockets: Set<unknown> }> {
  const server = createServer(handle);
  const sockets = new Set<unknown>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  // A server on a port has an address of this kind.
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** An owner that notes what it knows about its answers, and a standby in front of it. */
async function standbyBefore(answer: string) {
  const noted: string[] = [];
  const owner = await listen((_request, response) => {
    void whenAnswerReceived(response, {
      written: () => noted.push("written"),
      taken: () => {
        noted.push("taken");
        return () => noted.push("taken back");
      },
      unread: () => noted.push("unread"),
    });
    response.end(answer);
  });
  const view = { behind: 0, position: 1, owner: "owner", ownerUrl: `http://127.0.0.1:${owner.port}` };
  const send = passOn({ view: () => ({ ...view, differs: [], trouble: null }), secret: "s", trust: null });
  const door = await listen((request, response) => {
    void send(request, response, { budgetMs: 1_000, isRepeatable: true });
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(door.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return { noted, owner, open };
}

test("each connection of a caller has its own to the owner, and keeps it", async () => {
  const { owner, open } = await standbyBefore("{}");
  for (const caller of [await open(), await open()]) {
    for (let nth = 0; nth < 3; nth++) {
      caller.write(line);
      await once(caller, "data");
    }
  }
  expect(owner.sockets.size).toBe(2);
});

test("an answer whose caller hung up without reading it is not taken for received by the owner", async () => {
  const { noted, open } = await standbyBefore("{}");
  const caller = await open();
  caller.write(line);
  await expect.poll(() => noted).toContain("taken");
  caller.resetAndDestroy();
  await expect.poll(() => noted).toContain("taken back");
});
