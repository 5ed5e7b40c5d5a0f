import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { DeadlineExceeded, withDeadline } from "./clock.ts";

/** A thread that answers while ours stalls. */
const echo = `
  const { createServer } = require("node:net");
  const { parentPort } = require("node:worker_threads");
  const server = createServer((socket) => socket.once("data", () => socket.end("answer")));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

test("an answer that arrived while we stalled is read, although the time is over", async () => {
  const thread = new Worker(echo, { eval: true });
  try {
    const [port] = (await once(thread, "message")) as [number];
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const answer = withDeadline(once(socket, "data"), 5, () => {});
    socket.write("question");
    // The system writes the request within this turn, so the answer arrives while we stall.
    const goOnAt = performance.now() + 200;
    while (performance.now() < goOnAt);
    expect(String((await answer)[0])).toBe("answer");
  } finally {
    await thread.terminate();
  }
});

test("without an answer the deadline passes, and the running work is notified once", async () => {
  let calls = 0;
  const silence = withDeadline(new Promise(() => {}), 5, () => calls++);
  await expect(silence).rejects.toThrow(DeadlineExceeded);
  expect(calls).toBe(1);
});
