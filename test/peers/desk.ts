import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { PeerDefinition, RunningPeer } from "./peer.ts";

/** One line per peer; its file is loaded when a test asks for it. */
const peers = {
  postgres: () => import("./postgres.ts"),
  mariadb: () => import("./mariadb.ts"),
} as const satisfies Record<string, () => Promise<{ peer: PeerDefinition }>>;
export type PeerName = keyof typeof peers;

const isPeer = (name: string): name is PeerName => Object.hasOwn(peers, name);

/** Stands in the main process of a test run: the threads of the tests come and go, peers are shared by all of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let folder: string | undefined;
  const started = new Map<PeerName, Promise<RunningPeer | { readonly missing: string }>>();

  const start = async (name: PeerName): Promise<RunningPeer | { readonly missing: string }> => {
    const { peer } = await peers[name]();
    const missing = peer.missing();
    if (missing !== null) return { missing };
    // Servers that must not run as root run as somebody else, who has to get in.
    folder ??= open(mkdtempSync(join(tmpdir(), "crossdock-peers-")));
    const own = join(folder, name);
    mkdirSync(own);
    return await peer.start(open(own));
  };

  const server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    const answer = (given: object) => response.end(JSON.stringify(given));
    if (!isPeer(name)) return answer({ missing: "there is no such peer" });
    const running = started.get(name) ?? start(name);
    started.set(name, running);
    running.then(
      (peer) => answer("missing" in peer ? peer : { address: peer.address }),
      (error: unknown) => answer({ missing: error instanceof Error ? error.message : String(error) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on a port has an address of this kind.
  project.provide("peerDesk", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  return async () => {
    server.closeAllConnections();
    server.close();
    for (const running of await Promise.allSettled(started.values())) {
      if (running.status === "fulfilled" && "stop" in running.value) await running.value.stop();
    }
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
}

function open(folder: string): string {
  chmodSync(folder, 0o755);
  return folder;
}
