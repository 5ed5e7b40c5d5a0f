import { expect, test } from "vitest";
import { givenSocket, type ProcessFiles } from "./given-socket.ts";

const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const row = (local: string, inode: number, state = "0A") =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000 100 0\n`;
const files = (tcp: string, tcp6 = ""): ProcessFiles => ({
  pid: 4711,
  linkOf: (fd) => (fd === 3 ? "socket:[99]" : "/dev/null"),
  tables: () => [head + tcp, head + tcp6],
});
const env = { LISTEN_FDS: "1", LISTEN_PID: "4711" };

test("the socket that the service manager passed is taken, with the address it listens on", () => {
  const tcp = row("0100007F:1F91", 12) + row("0500000A:1F90", 99);
  expect(givenSocket(env, files(tcp))).toEqual({ fd: 3, host: "10.0.0.5", port: 8080 });
});

test.each([
  ["00000000000000000000000000000000:1F90", "::"],
  ["00000000000000000000000001000000:1F90", "::1"],
  ["B80D0120000000000000000001000000:1F90", "2001:db8::1"],
])("an IPv6 socket %s listens on %s", (local, host) => {
  expect(givenSocket(env, files("", row(local, 99)))).toEqual({ fd: 3, host, port: 8080 });
});

test("a socket passed to a parent of this process is not taken", () => {
  expect(givenSocket({ ...env, LISTEN_PID: "4710" }, files(row("0100007F:1F90", 99)))).toBeNull();
  expect(givenSocket({}, files(""))).toBeNull();
});

test("several sockets, or one that is not a listening TCP socket, are refused with what to write instead", () => {
  const hint = expect.stringContaining("ListenStream=");
  expect(givenSocket({ ...env, LISTEN_FDS: "2" }, files(""))).toMatchObject({
    text: expect.stringContaining("2"),
    hint,
  });
  expect(givenSocket(env, files(""))).toMatchObject({ text: expect.stringContaining("TCP"), hint });
  expect(givenSocket(env, files(row("0100007F:1F90", 99, "01")))).toMatchObject({ hint });
});
