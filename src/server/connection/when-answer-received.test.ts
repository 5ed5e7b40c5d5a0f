import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { provesReceipt, whenAnswerReceived } from "./when-answer-received.ts";

const request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

interface Edge {
  readonly noted: readonly string[];
  /** The number of answers for which it is known whether they arrived. */
  readonly decisions: () => number;
  /** Resolves when `what` is noted; at once if it already was. */
  readonly until: (what: string) => Promise<void>;
  readonly port: number;
  readonly open: () => Promise<Socket>;
  readonly requests: Promise<unknown>;
}

/** A server that notes what it learns about its answers. Each answer waits for `before`. */
async function edge(before: (request: IncomingMessage) => Promise<unknown> = async () => {}): Promise<Edge> {
  const noted: string[] = [];
  let decisions = 0;
  let heard = () => {};
  const note = (what: string) => {
    noted.push(what);
    heard();
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    provesReceipt(incoming.socket);
    await before(incoming);
    const decided = whenAnswerReceived(response, {
      written: () => note("written"),
      arrived: () => {
        note("taken");
        return () => note("taken back");
      },
      unread: () => note("unread"),
    });
    response.end("{}");
    note("answered");
    await decided;
    decisions++;
  };
  const server = createServer((incoming, response) => void handle(incoming, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return {
    noted,
    port,
    decisions: () => decisions,
    requests: once(server, "request"),
    until: async (what) => {
      while (!noted.includes(what)) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
    open: async () => {
      // Paused before it connects: received data stays unread in the system until a test reads it.
      const socket = connect(port, "127.0.0.1").pause();
      socket.on("error", () => {});
      await once(socket, "connect");
      onTestFinished(() => void socket.destroy());
      return socket;
    },
  };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await nextTurn();
};

test("an answer that its sender has read counts as given, also when the connection ends afterwards", async () => {
  const { noted, decisions, until, open } = await edge();
  const socket = await open();
  socket.write(request);
  socket.resume();
  await once(socket, "data");
  await until("taken");
  const closed = once(socket, "close");
  socket.destroy();
  await closed;
  await turns(20);
  expect(noted).toEqual(["written", "answered", "taken"]);
  expect(decisions()).toBe(1);
});

test("an answer that its sender has read counts as given, also when the connection is closed in the same moment", async () => {
  const senders = 40;
  const { noted, decisions, port } = await edge();
  // In a thread of its own: in this one, the connection would never end before the answer is decided on.
  const sender = new Worker(closingSender, { eval: true, workerData: { port, request, senders } });
  await once(sender, "exit");
  while (decisions() < senders) await nextTurn();
  expect(noted.filter((what) => what === "taken")).toHaveLength(senders);
  expect(noted).not.toContain("unread");
});

/** Opens one connection after the other, and closes each as soon as it has read the answer. */
const closingSender = `
  const { connect } = require("node:net");
  const { workerData: { port, request, senders } } = require("node:worker_threads");
  const send = (left) => {
    if (left === 0) return;
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.once("data", () => socket.end());
    socket.once("close", () => send(left - 1));
  };
  send(senders);
`;

test("an answer that was written, but that its sender hung up on without reading it, is taken back", async () => {
  const { noted, until, open } = await edge();
  const socket = await open();
  socket.write(request);
  await until("taken");
  socket.destroy();
  await until("taken back");
  expect(noted).toEqual(["written", "answered", "taken", "taken back"]);
});

test("a reset after a further request does not take back the answer before it", async () => {
  const { promise: isReset, resolve: reset } = Promise.withResolvers<void>();
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const { noted, until, open } = await edge(async ({ url, socket }) => {
    if (url !== "/last") return;
    socket.once("close", () => reset());
    asked();
    await isReset;
  });
  const socket = await open();
  socket.write(request);
  socket.resume();
  await once(socket, "data");
  await until("taken");
  socket.write(request.replace("/", "/last"));
  await isAsked;
  socket.resetAndDestroy();
  await isReset;
  await turns(20);
  expect(noted).toEqual(["written", "answered", "taken", "answered"]);
});

test("an answer to a sender who has hung up before it never counts as given", async () => {
  const { promise: goOn, resolve: go } = Promise.withResolvers<void>();
  const { noted, decisions, until, open, requests } = await edge(async () => goOn);
  const socket = await open();
  socket.write(request);
  await requests;
  const closed = once(socket, "close");
  socket.destroy();
  await closed;
  go();
  await until("answered");
  await turns(20);
  expect(noted).not.toContain("taken");
  expect(noted.at(-1)).not.toBe("written");
  // Otherwise whoever waits for the decision, such as the same event sent again, would wait for ever.
  expect(decisions()).toBe(1);
});

test("an answer that waited behind another one, and was never read, is taken back as well", async () => {
  const { noted, until, open } = await edge();
  const socket = await open();
  socket.write(request + request);
  await until("taken");
  await turns(20);
  socket.destroy();
  await until("taken back");
  expect(noted.filter((what) => what === "taken")).toHaveLength(2);
});
