import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { authority } from "../../../../test/support/receivers/certificates.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { callerOf, entryHeader, takeCaller } from "../../../server/connection/passed-on.ts";
import { whenAnswerReceived } from "../../../server/connection/when-answer-received.ts";
import { passedAnswers } from "../answers/passed-answers.ts";
import { reportAnswers } from "../answers/report-answers.ts";
import { type PassOnNeeds, passOn, trustInOwner } from "./pass-on.ts";

const needs = { secret: "s", trust: null, answers: passedAnswers() };
const line = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

async function listen(handle: RequestListener, own?: Certificate): Promise<{ port: number; sockets: Set<unknown> }> {
  const server =
    own === undefined
      ? createServer(handle)
      : createSecureServer({ cert: readFileSync(own.cert), key: readFileSync(own.key) }, handle);
  const sockets = new Set<unknown>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  // A server on a port has an address of this kind.
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** An owner that records what it learns about its answers, and a standby in front of it. */
async function standbyBefore(answer: string, isSecure = false) {
  const noted: string[] = [];
  const alternatives = "DNS:adapter.example.com";
  const own = isSecure ? authority(temporaryFolder()).issue("owner", { alternatives, use: "server" }) : undefined;
  const owner = await listen((_request, response) => {
    void whenAnswerReceived(response, {
      written: () => noted.push("written"),
      arrived: () => {
        noted.push("taken");
        return () => noted.push("taken back");
      },
      unread: () => noted.push("unread"),
    });
    response.end(answer);
  }, own);
  const ownerUrl = `${isSecure ? "https" : "http"}://127.0.0.1:${owner.port}`;
  const trust = own === undefined ? null : trustInOwner(own.cert);
  const view = { behind: 0, position: 1, owner: "owner", ownerUrl };
  const send = passOn({ view: () => ({ ...view, differs: [], trouble: null, troubleSince: null }), ...needs, trust });
  const door = await listen((request, response) => {
    void send(request, response, { budgetMs: 1_000, repeatable: "query" });
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(door.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return { noted, owner, port: door.port, open };
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

test.each([
  ["HTTP", false],
  ["HTTPS", true],
])(
  "an answer whose caller hung up without reading it is not taken for received by the owner, over %s",
  async (_over, isSecure) => {
    const { noted, open } = await standbyBefore("{}", isSecure);
    const caller = await open();
    caller.write(line);
    await expect.poll(() => noted).toContain("taken");
    caller.resetAndDestroy();
    await expect.poll(() => noted).toContain("taken back");
  },
);

test.each([
  ["HTTP", false],
  ["HTTPS", true],
])(
  "an answer whose caller closes the connection right after reading it is taken for received by the owner, over %s",
  async (_over, isSecure) => {
    const callers = 20;
    const { noted, port } = await standbyBefore("{}", isSecure);
    // In a thread of its own: in this one, the connection would never end before the answer is decided on.
    const caller = new Worker(closingCaller, { eval: true, workerData: { port, line, callers } });
    await once(caller, "exit");
    await expect.poll(() => noted.filter((what) => what === "taken")).toHaveLength(callers);
    // Time for the owner to learn of resets.
    await fetch(`http://127.0.0.1:${port}`);
    expect(noted).not.toContain("taken back");
    expect(noted).not.toContain("unread");
  },
);

/** Opens one connection after the other, and closes each as soon as it has read the answer. */
const closingCaller = `
  const { connect } = require("node:net");
  const { workerData: { port, line, callers } } = require("node:worker_threads");
  const send = (left) => {
    if (left === 0) return;
    const socket = connect(port, "127.0.0.1", () => socket.write(line));
    socket.once("data", () => socket.end());
    socket.once("close", () => send(left - 1));
  };
  send(callers);
`;

test("a request whose caller hung up while it waited for an owner is not passed on: its caller sends it again", async () => {
  const arrived: (string | undefined)[] = [];
  const owner = await listen((request, response) => {
    arrived.push(request.url);
    response.end("{}");
  });
  let ownerUrl: string | null = null;
  let looks = 0;
  const view = () => {
    looks++;
    return { ...{ behind: 0, position: 1, owner: "owner", differs: [], trouble: null, troubleSince: null }, ownerUrl };
  };
  const send = passOn({ view, ...needs });
  const results: unknown[] = [];
  const door = await listen((request, response) => {
    // The owner is there at the very moment in which the caller is gone.
    if (request.url === "/gone") {
      response.once("close", () => {
        ownerUrl = `http://127.0.0.1:${owner.port}`;
      });
    }
    void send(request, response, { budgetMs: 60_000, repeatable: "event" }).then((result) => results.push(result));
  });
  const gone = connect(door.port, "127.0.0.1");
  gone.write(line.replace("/", "/gone"));
  await expect.poll(() => looks).toBeGreaterThan(1);
  gone.destroy();
  await expect.poll(() => results.length).toBe(1);
  // The control: another request does reach this owner.
  await fetch(`http://127.0.0.1:${door.port}/there`);
  expect(arrived).toEqual(["/there"]);
});

test("a caller's connection that is used for many deployments has no more listeners than for one", async () => {
  const owner = await listen((_request, response) => void response.end("{}"));
  const view = { behind: 0, position: 1, owner: "owner", ownerUrl: `http://127.0.0.1:${owner.port}` };
  const deployments = Array.from({ length: 20 }, () =>
    passOn({ view: () => ({ ...view, differs: [], trouble: null, troubleSince: null }), ...needs }),
  );
  const counts: number[] = [];
  const door = await listen((request, response) => {
    const { socket } = request;
    void deployments[counts.length]?.(request, response, { budgetMs: 1_000, repeatable: "query" }).then(() =>
      counts.push(socket.listenerCount("close") + socket.listenerCount("error")),
    );
  });
  const caller = connect(door.port, "127.0.0.1");
  onTestFinished(() => void caller.destroy());
  for (const _ of deployments) {
    caller.write(line);
    await once(caller, "data");
  }
  expect(door.sockets.size).toBe(1);
  expect(Math.max(...counts)).toBe(counts[0]);
});

/**
 * Owners that answer every request as an event with this entry and record what they are told, and a standby in front of
 * them.
 */
async function standbyBeforeSeveral(entry: number) {
  const told: Record<string, readonly number[]> = {};
  const open = (name: string) =>
    listen((request, response) => {
      takeCaller(request, "s");
      const { answered = [] } = callerOf(request) ?? {};
      told[name] = [...(told[name] ?? []), ...answered];
      response.setHeader(entryHeader, entry).end("{}");
    });
  const ports = { first: (await open("first")).port, second: (await open("second")).port };
  let owner: keyof typeof ports = "first";
  const view = () => ({
    ...{ behind: 0, position: 1, differs: [], trouble: null, troubleSince: null },
    ...{ owner, ownerUrl: `http://127.0.0.1:${ports[owner]}` },
  });
  const passing: PassOnNeeds = { ...needs, view, answers: passedAnswers() };
  const send = passOn(passing);
  const door = await listen((request, response) => {
    void send(request, response, { budgetMs: 1_000, repeatable: "query" });
  });
  return {
    ...{ told, passing, url: `http://127.0.0.1:${door.port}/` },
    change: () => {
      owner = "second";
    },
  };
}

test("a new owner is told with the next request which answers of the former one have arrived; the caller sees nothing of it", async () => {
  const { told, url, change } = await standbyBeforeSeveral(17);
  const first = await fetch(url);
  expect(await first.text()).toBe("{}");
  expect([...first.headers.keys()].filter((name) => name.startsWith("crossdock"))).toEqual([]);
  await fetch(url);
  expect(told).toEqual({ first: [] });
  change();
  await fetch(url);
  await fetch(url);
  expect(told).toEqual({ first: [], second: [17] });
});

test("a new owner is told of them even if no further request is passed on", async () => {
  const { told, url, change, passing } = await standbyBeforeSeveral(17);
  await (await fetch(url)).text();
  await expect.poll(() => passing.answers.unknownTo("somebody else")).toEqual([17]);
  change();
  reportAnswers(passing, "/health/live");
  await expect.poll(() => told["second"]).toEqual([17]);
  await expect.poll(() => passing.answers.unknownTo("second")).toEqual([]);
});

test("an answer that its caller did not read is not told of", async () => {
  const { url, passing } = await standbyBeforeSeveral(17);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(line);
  await expect.poll(() => passing.answers.unknownTo("somebody else")).toEqual([17]);
  socket.resetAndDestroy();
  await expect.poll(() => passing.answers.unknownTo("somebody else")).toEqual([]);
});

/**
 * A standby whose first owner accepts requests and never answers. `end` closes the connections to it; the second owner
 * answers.
 */
async function standbyBeforeLost() {
  const arrived: string[] = [];
  const cut = new Set<Socket>();
  const silent = await listen((request) => {
    arrived.push("first");
    cut.add(request.socket);
  });
  const second = await listen((_request, response) => {
    arrived.push("second");
    response.end("stored");
  });
  let owner: "first" | "second" | null = "first";
  const view = () => ({
    ...{ behind: 0, position: 1, differs: [], trouble: null, troubleSince: null, owner },
    ownerUrl: owner === null ? null : `http://127.0.0.1:${(owner === "first" ? silent : second).port}`,
  });
  const send = passOn({ ...needs, view, answers: passedAnswers(), doubtMs: 200 });
  const results: string[] = [];
  const ask = async (repeatable: "query" | "event" | null, body = "{}") => {
    const door = await listen((request, response) => {
      void send(request, response, { budgetMs: 100, repeatable }).then((passed) => {
        results.push(passed);
        if (passed !== "answered") response.destroy();
      });
    });
    const asked = fetch(`http://127.0.0.1:${door.port}/`, { method: "POST", body });
    return (await asked).text();
  };
  return {
    ...{ arrived, results, ask },
    end: () => {
      for (const socket of cut) socket.destroy();
    },
    change: () => {
      owner = "second";
    },
    vanish: () => {
      owner = null;
    },
  };
}

test("an event whose owner was killed before it answered is sent to the next owner, which knows whether it was stored", async () => {
  const { arrived, results, ask, end, change } = await standbyBeforeLost();
  const answer = ask("event");
  await expect.poll(() => arrived).toEqual(["first"]);
  change();
  end();
  expect([await answer, arrived, results]).toEqual(["stored", ["first", "second"], ["answered"]]);
});

test("an event whose owner is paused is sent to the next owner as soon as there is one", async () => {
  const { arrived, ask, change } = await standbyBeforeLost();
  const answer = ask("event");
  await expect.poll(() => arrived).toEqual(["first"]);
  change();
  expect([await answer, arrived]).toEqual(["stored", ["first", "second"]]);
});

test("an event that may be stored is not refused when the platform sends it once more and there is still no owner", async () => {
  const { arrived, results, ask, end, vanish } = await standbyBeforeLost();
  const first = ask("event").catch(() => "hung up");
  await expect.poll(() => arrived).toEqual(["first"]);
  vanish();
  end();
  expect(await first).toBe("hung up");
  // In its own time budget alone it would be refused, as one that nobody has seen is.
  expect(await ask("event").catch(() => "hung up")).toBe("hung up");
  expect(await ask("event", '{"other":1}').catch(() => "hung up")).toBe("hung up");
  expect(results).toEqual(["doubtful", "doubtful", "nobody"]);
});

test("what may not be sent twice is sent once", async () => {
  const { arrived, results, ask, end, change } = await standbyBeforeLost();
  const answer = ask(null).catch(() => "broken");
  await expect.poll(() => arrived).toEqual(["first"]);
  change();
  end();
  expect([await answer, arrived, results]).toEqual(["broken", ["first"], ["nobody"]]);
});
