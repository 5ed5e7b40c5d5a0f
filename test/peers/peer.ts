import { describe, inject, test } from "vitest";
import type { PeerName } from "./desk.ts";

/** Where and how a started peer is reached: host, port, user and so on. */
export type PeerAddress = Readonly<Record<string, string | number>>;

/** A real counterpart of the tests. It is started at most once per run, when the first test asks for it. */
export interface PeerDefinition {
  /** Why it cannot be had on this machine; null where it can. */
  readonly missing: () => string | null;
  /** Starts it on loopback, with all its files in the given folder. */
  readonly start: (folder: string) => Promise<RunningPeer>;
}

export interface RunningPeer {
  readonly address: PeerAddress;
  readonly stop: () => Promise<void>;
  /** Its connections end; what it has stays. Absent where nobody needs it. */
  readonly restart?: () => Promise<void>;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Where the one who starts peers is asked. */
    peerDesk: string;
  }
}

/**
 * A group of tests against a real peer. Where it cannot be had the group is skipped and the reason printed; with
 * CROSSDOCK_REQUIRE_PEERS=1 it fails instead, so that nobody takes a run without it for a complete one.
 */
export async function peerGroup(
  name: PeerName,
  title: string,
  tests: (address: PeerAddress) => void | Promise<void>,
): Promise<void> {
  const answer = await askFor(name);
  if ("address" in answer) {
    describe(title, () => tests(answer.address));
    return;
  }
  const reason = `${name} cannot be had here: ${answer.missing}`;
  if (process.env["CROSSDOCK_REQUIRE_PEERS"] === "1") {
    describe(title, () => {
      test(`${name} is there`, () => {
        throw new Error(reason);
      });
    });
    return;
  }
  console.warn(`skipped: ${title}: ${reason}`);
  describe.skip(`${title} (skipped: ${reason})`, () => {
    test("is not run here", () => {});
  });
}

/** For tests that cannot be played without it; throws where it cannot be had. */
export async function addressOfPeer(name: PeerName): Promise<PeerAddress> {
  const answer = await askFor(name);
  if ("address" in answer) return answer.address;
  throw new Error(`${name} cannot be had here: ${answer.missing}`);
}

async function askFor(name: PeerName): Promise<{ address: PeerAddress } | { missing: string }> {
  const response = await fetch(`${inject("peerDesk")}/${name}`);
  // Written by the desk, which is our own.
  return (await response.json()) as { address: PeerAddress } | { missing: string };
}
