import { setTimeout as sleep } from "node:timers/promises";
import type { FloorJob, FloorResult } from "../../clients/floor.ts";
import type { Sockets, SocketsJob, SocketsResult } from "../../clients/hostile/sockets.ts";
import type { ProbeJob } from "../../clients/probe.ts";
import { memoryNow } from "../../harness/processes/memory-now.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startAdapter, startFloor, startProbe, startSockets, withChildren } from "../../harness/programs.ts";
import { listStore } from "../sizes.ts";

const perSecond = 100;
/** Long enough for a thousand events to compare with. */
const quietMs = 10_000;

/** What others notice of connections that stop in the middle of a request, and what they cost. */
export interface BesideSockets {
  readonly quiet: Answers;
  readonly busy: Answers;
  /** Memory of the process in megabytes: before, at most meanwhile, and at the end. */
  readonly beforeMb: number;
  readonly peakMb: number;
  readonly afterMb: number;
  readonly closedAfterMs: SocketsResult;
}

interface Answers extends FloorResult {
  readonly statusMs: readonly number[];
}

/** Keeps such connections open for `forMs`, while put-wall events and GET /Status come from another address. */
export async function besideSockets(
  workshop: Workshop,
  { forMs, ...sockets }: Omit<Sockets, "url"> & { readonly forMs: number },
): Promise<BesideSockets> {
  const adapter = await startAdapter(await workshop.ownStore(listStore));
  const [floor, probe, sender] = [await startFloor(), await startProbe(), await startSockets()];
  return await withChildren([adapter, floor, probe, sender], async () => {
    const { url } = adapter;
    const during = async (ms: number): Promise<Answers> => {
      await floor.run({ start: url, perSecond } satisfies FloorJob);
      await probe.run({ start: url } satisfies ProbeJob);
      await sleep(ms);
      const statusMs = await probe.run<number[]>("stop" satisfies ProbeJob);
      return { statusMs, ...(await floor.run<FloorResult>("stop" satisfies FloorJob)) };
    };
    const quiet = await during(quietMs);
    const beforeMb = await adapter.run<number>(memoryNow);
    await sender.run({ url, ...sockets } satisfies SocketsJob);
    const busy = await during(forMs);
    const closedAfterMs = await sender.run<SocketsResult>("stop" satisfies SocketsJob);
    const peakMb = await adapter.run<number>();
    // What was released is returned to the system within some seconds.
    await sleep(quietMs);
    return { quiet, busy, beforeMb, peakMb, afterMb: await adapter.run<number>(memoryNow), closedAfterMs };
  });
}
