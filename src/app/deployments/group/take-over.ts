import type { Log } from "../../../kit/log.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { Cluster } from "../cluster/open-cluster.ts";
import { firstFew } from "../first-few.ts";
import type { TakeOver } from "./group.ts";
import type { KeptMember } from "./open-member.ts";

export interface TakeOverNeeds {
  readonly members: ReadonlyMap<string, Pick<KeptMember, "name" | "use" | "adapter">>;
  /** The other processes; null without a PostgreSQL. */
  readonly cluster: Pick<Cluster, "take" | "withdraw" | "taking" | "trouble" | "isLeaving"> | null;
  readonly timers: Timers;
  readonly log: Log;
}

/** Longer than a process needs to follow and to take over on a busy machine. */
const patienceMs = 30_000;
const lookEveryMs = 50;
const mostNamed = 10;

/**
 * Takes a deployment over because a person wants it. Its owner hands it over as in any planned move: requests wait for a
 * moment, and none fails.
 */
export async function takeOver(name: string, { members, cluster, timers, log }: TakeOverNeeds): Promise<TakeOver> {
  const member = members.get(name);
  if (member === undefined) return refused(404, `There is no deployment ${name} here; there are ${named(members)}.`);
  if (cluster === null) {
    return refused(409, "This process has no `store` that it shares with others, so it owns all of its deployments.");
  }
  if (cluster.isLeaving()) return refused(409, "This process is about to stop. Name another one.");
  const trouble = cluster.trouble();
  if (trouble !== null) return refused(503, `No deployment can be handed over now: ${trouble}.`);
  const isOwner = () => member.adapter()?.roles?.role() === "owner";
  const wasOwner = isOwner();
  log.info({ deployment: name }, "this process was told to take the deployment over");

  const untilOwner = async (): Promise<TakeOver> => {
    cluster.take(name);
    const until = timers.passed() + patienceMs;
    for (;;) {
      const taking = cluster.taking(name);
      // A wish ends with the deployment: nobody else was told anything.
      if (member.adapter() === null) return refused(503, `The deployment ${name} was closed here in the meantime.`);
      if (taking === "lost") return refused(409, `Another process was told to take ${name} over, later than this one.`);
      if (taking === "known" && isOwner()) return { isOwner: true, wasOwner };
      if (timers.passed() > until || cluster.isLeaving()) break;
      await new Promise<void>((resolve) => timers.after(lookEveryMs, resolve));
    }
    cluster.withdraw(name);
    const owner = member.adapter()?.roles?.owner() ?? null;
    return refused(
      503,
      owner === null
        ? `Nobody owns ${name}, and this process could not take it over within ${patienceMs / 1_000} seconds. Its log says why.`
        : `${owner} has not handed ${name} over within ${patienceMs / 1_000} seconds. Nothing was changed. If it is busy, try again; if it runs an earlier version, upgrade it first.`,
    );
  };
  try {
    // A use of the deployment, or one that was asleep would be closed again soon, and with it the wish would end.
    return await member.use(untilOwner);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(503, `The deployment ${name} cannot be opened here: ${why}.`);
  }
}

const refused = (status: 404 | 409 | 503, reason: string): TakeOver => ({ isOwner: false, status, reason });

function named(members: TakeOverNeeds["members"]): string {
  const names = [...members.keys()];
  if (names.length === 0) return "none";
  return firstFew(names, mostNamed);
}
