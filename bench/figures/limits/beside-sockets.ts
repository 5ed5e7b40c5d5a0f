import { setTimeout as sleep } from "node:timers/promises";
import type { Sockets, SocketsJob, SocketsResult } from "../../clients/hostile/sockets.ts";
import { memoryNow } from "../../harness/processes/memory-now.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startFloor, startProbe, startService, startSockets, withChildren } from "../../harness/programs.ts";
import { type FloorAnswers, whileFloorWorks } from "../../harness/while-floor-works.ts";
import { listStore } from "../sizes.ts";

/** Long enough for a thousand events to compare with. */
const quietMs = 10_000;

/** What others notice of connections that stop in the middle of a request, and what they cost. */
export interface BesideSockets {
  readonly quiet: FloorAnswers;
  readonly busy: FloorAnswers;
  /** Memory of the process in megabytes: before, at most meanwhile, and at the end. */
  readonly beforeMb: number;
  readonly peakMb: number;
  readonly afterMb: number;
  readonly closedAfterMs: SocketsResult;
}

/** Keeps such connections open for `forMs`, while put-wall events and GET /Status come from another address. */
export async function besideSockets(
  workshop: Workshop,
  { forMs, ...sockets }: Omit<Sockets, "url"> & { readonly forMs: number },
): Promise<BesideSockets> {
  const adapter = await startService(await workshop.ownStore(listStore));
  const [floor, probe, sender] = [await startFloor(), await startProbe(), await startSockets()];
  return await withChildren([adapter, floor, probe, sender], async () => {
    const { url } = adapter;
    const during = (ms: number) => whileFloorWorks({ url, floor, probe }, () => sleep(ms));
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
