import type { Log } from "../../../kit/log.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { OwnerRoles } from "../../replicated/start-replicated.ts";
import type { Cluster } from "./open-cluster.ts";

/** A deployment of this process that other processes may own. */
export interface MovedDeployment {
  readonly name: string;
  readonly roles: Pick<OwnerRoles, "role" | "hasOwner" | "handOver">;
}

export interface MovesNeeds {
  /** The deployments of the process that are open. */
  readonly deployments: () => readonly MovedDeployment[];
  readonly timers: Timers;
  readonly log: Log;
}

/** Gives deployments to other processes, to each of them a few at a time. */
export interface Moves {
  /**
   * Called again and again while another process should own this deployment and is ready to take it over. Another number
   * means that a person wants it anew.
   */
  readonly toSuccessor: (name: string, successor: string, number?: number) => void;
  /** Gives everything away that other processes can own, while this one still serves; ends after some time in any case. */
  readonly leave: (cluster: Pick<Cluster, "leave" | "hasFollower" | "hasOthers">) => Promise<void>;
}

/** How long a process that stops waits for others to take over; it then stops without waiting. */
const leaveMs = 20_000;
/** The same while nothing changes. */
const stuckMs = 5_000;
const lookEveryMs = 20;
/** After this time a deployment is handed over again that came back from its successor. */
const movedBackMs = 300_000;
/** Deployments that nobody follows are opened elsewhere by their next request, so several may be closed at once. */
const mostReleased = 2;
/**
 * How many deployments a process gets at the same time. With one, both sides wait most of the time: for PostgreSQL, for
 * threads and for news of each other. With many, the requests of all of them would wait for too long.
 */
const mostMoving = 2;

interface Moving {
  readonly name: string;
  readonly successor: string;
  readonly number: number;
  readonly at: number;
}

export function moves({ deployments, timers, log }: MovesNeeds): Moves {
  /** The deployments that were given to other processes, and are not served there yet. */
  let moving: readonly Moving[] = [];

  const rolesOf = (name: string) => deployments().find((one) => one.name === name)?.roles ?? null;
  const owned = () => deployments().filter(({ roles }) => roles.role() === "owner");

  const isServed = (name: string) => {
    const roles = rolesOf(name);
    return roles === null || (roles.role() !== "owner" && roles.hasOwner());
  };
  const isArriving = () => moving.some(({ name }) => rolesOf(name)?.hasOwner() === false);

  return {
    toSuccessor: (name, successor, number = 0) => {
      // What a person wants anew may go where it came back from.
      moving = moving.filter((one) => !isServed(one.name) && !(one.name === name && one.number !== number));
      const given = moving.filter((one) => one.successor === successor);
      const before = given.find((one) => one.name === name);
      if (before === undefined ? given.length >= mostMoving : timers.passed() - before.at < movedBackMs) return;
      moving = [...moving.filter((one) => one !== before), { name, successor, number, at: timers.passed() }];
      log.info({ deployment: name }, "the deployment is handed over to another process");
      rolesOf(name)?.handOver();
    },
    leave: async (cluster) => {
      cluster.leave();
      const until = timers.passed() + leaveMs;
      let left = Number.POSITIVE_INFINITY;
      let progressAt = timers.passed();
      const released = new Set<string>();
      for (;;) {
        const mine = owned();
        const followed = mine.filter(({ name }) => cluster.hasFollower(name));
        if (mine.length < left) progressAt = timers.passed();
        left = mine.length;
        const isStuck = timers.passed() - progressAt > stuckMs || timers.passed() > until;
        const isDone = mine.length === 0 || (followed.length === 0 && !cluster.hasOthers());
        if ((isDone && !isArriving()) || isStuck) return;
        // Closed all at once at the end, they would be without an owner until the last one is closed.
        if (followed.length === 0 && cluster.hasOthers()) {
          const isClosing = mine.filter(({ name }) => released.has(name)).length;
          for (const { name, roles } of mine
            .filter((one) => !released.has(one.name))
            .slice(0, mostReleased - isClosing)) {
            released.add(name);
            roles.handOver();
          }
        }
        await new Promise<void>((resolve) => timers.after(lookEveryMs, resolve));
      }
    },
  };
}
