import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { peerGroup } from "../peers/peer.ts";
import { newDeployment, urlOf } from "../replication/deployment.ts";
import { builtProgram } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/**
 * Stands for systemd: holds a listening socket as file 3 without taking calls from it, as Node would, and starts and
 * stops the program on it.
 */
const holder = `use Socket; $| = 1; $^F = 255; socket(my $s, AF_INET, SOCK_STREAM, 0) or die $!;
bind($s, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) or die $!; listen($s, 4096) or die $!;
die "not file 3" if fileno($s) != 3; print "port ", (unpack_sockaddr_in(getsockname($s)))[0], "\\n";
while (<STDIN>) {
  if (/start/) { $pid = fork; if (!$pid) { $ENV{LISTEN_PID} = $$; exec @ARGV } }
  else { kill "TERM", $pid; waitpid $pid, 0; print "ended with $?\\n" }
}
kill "KILL", $pid`;
const missing = missingProgram({ perl: "perl" });

interface SocketConfig {
  readonly store?: string;
  readonly deployment?: string;
}

/** Starts the program on a socket that stays open when it is stopped. */
async function startOnSocket(config: SocketConfig) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify(config));
  const systemd = spawn("perl", ["-e", holder, process.execPath, builtProgram(), "start"], {
    cwd: folder,
    // PORT says otherwise, and does not count.
    env: {
      ...process.env,
      LISTEN_FDS: "1",
      CROSSDOCK_SAMPLE: "false",
      PORT: "1",
      CROSSDOCK_API_KEY: "key-of-the-process",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void systemd.stdin.end());
  let output = "";
  for (const stream of [systemd.stdout, systemd.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  const printed = async (text: RegExp, times = 1) => {
    await expect.poll(() => output.match(new RegExp(text, "g"))?.length).toBe(times);
    return text.exec(output)?.[1] ?? "";
  };
  const port = Number(await printed(/port (\d+)/));
  const url = new RegExp(`http://127\\.0\\.0\\.1:${port}`);
  const status = () =>
    new Promise<number | string>((done) => {
      const request = get({ port, host: "127.0.0.1", path: "/Status", agent: false }, (answer) => {
        answer.resume();
        done(answer.statusCode ?? 0);
      });
      request.on("error", (error) => done(error.message));
    });
  systemd.stdin.write("start\n");
  await expect.poll(() => url.test(output)).toBe(true);
  let ended = 0;
  return {
    port,
    status,
    start: () => void systemd.stdin.write("start\n"),
    stop: async () => {
      systemd.stdin.write("stop\n");
      expect(await printed(/ended with (\d+)/, ++ended)).toBe("0");
    },
  };
}

async function replaceUnderLoad(config: SocketConfig): Promise<void> {
  const { status, start, stop } = await startOnSocket(config);
  const seen: (number | string)[] = [];
  let isOver = false;
  const caller = (async () => {
    while (!isOver) seen.push(await status());
  })();
  await expect.poll(() => seen.length).toBeGreaterThan(3);
  await stop();
  const waiting = [status(), status(), status()];
  start();
  expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
  isOver = true;
  await caller;
  expect(seen.filter((one) => one !== 200)).toEqual([]);
  await stop();
}

/** More than Node's own queue holds, and more than one address may usually have. */
const manyCallers = 700;

async function replaceWithManyWaiting(config: SocketConfig): Promise<void> {
  const { port, start, stop } = await startOnSocket(config);
  await stop();
  let connected = 0;
  const answers = Array.from({ length: manyCallers }, () => {
    const caller = connect(port, "127.0.0.1", () => connected++);
    caller.end("GET /Status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    return text(caller).then(
      (answer) => answer.slice(0, "HTTP/1.1 200 OK".length),
      (error: Error) => error.message,
    );
  });
  await expect.poll(() => connected).toBe(manyCallers);
  start();
  expect([...new Set(await Promise.all(answers))]).toEqual(["HTTP/1.1 200 OK"]);
  await stop();
}

test("while the adapter is replaced, its socket stays open and no call is refused", async ({ skip }) => {
  skip(missing !== null, missing ?? "");
  await replaceUnderLoad({});
});

test("seven hundred calls of one address that wait meanwhile are all answered", async ({ skip }) => {
  skip(missing !== null, missing ?? "");
  await replaceWithManyWaiting({});
});

await peerGroup("postgres", "a socket of systemd and a store in PostgreSQL", (address) => {
  test("while the only process is replaced, its socket stays open and no call is refused", async ({ skip }) => {
    skip(missing !== null, missing ?? "");
    await replaceUnderLoad({ store: urlOf(address), deployment: newDeployment() });
  });

  test("seven hundred calls of one address that wait meanwhile are all answered", async ({ skip }) => {
    skip(missing !== null, missing ?? "");
    await replaceWithManyWaiting({ store: urlOf(address), deployment: newDeployment() });
  });
});
