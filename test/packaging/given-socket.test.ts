import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
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
bind($s, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) or die $!; listen($s, 128) or die $!;
die "not file 3" if fileno($s) != 3; print "port ", (unpack_sockaddr_in(getsockname($s)))[0], "\\n";
while (<STDIN>) {
  if (/start/) { $pid = fork; if (!$pid) { $ENV{LISTEN_PID} = $$; exec @ARGV } }
  else { kill "TERM", $pid; waitpid $pid, 0; print "ended with $?\\n" }
}
kill "KILL", $pid`;
const missing = missingProgram({ perl: "perl" });

async function replaceUnderLoad(config: { readonly store?: string; readonly deployment?: string }): Promise<void> {
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
  const seen: (number | string)[] = [];
  let isOver = false;
  const caller = (async () => {
    while (!isOver) seen.push(await status());
  })();
  await expect.poll(() => seen.length).toBeGreaterThan(3);
  systemd.stdin.write("stop\n");
  expect(await printed(/ended with (\d+)/)).toBe("0");
  const waiting = [status(), status(), status()];
  systemd.stdin.write("start\n");
  expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
  isOver = true;
  await caller;
  expect(seen.filter((one) => one !== 200)).toEqual([]);
  systemd.stdin.write("stop\n");
  await printed(/ended with (\d+)/, 2);
}

test("while the adapter is replaced, its socket stays open and no call is refused", async ({ skip }) => {
  skip(missing !== null, missing ?? "");
  await replaceUnderLoad({});
});

await peerGroup("postgres", "a socket of systemd and a store in PostgreSQL", (address) => {
  test("while the only process is replaced, its socket stays open and no call is refused", async ({ skip }) => {
    skip(missing !== null, missing ?? "");
    await replaceUnderLoad({ store: urlOf(address), deployment: newDeployment() });
  });
});
