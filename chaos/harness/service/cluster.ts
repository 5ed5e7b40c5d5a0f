import { type LooseWire, looseWire } from "../../../test/peers/loose-wire.ts";
import { promiseFigures, settleAndCheck } from "../checks/settle.ts";
import { type Floor, openFloor } from "../floor/floor.ts";
import { toExternalSystem } from "../floor/way.ts";
import { startReceiver } from "../receiver/receiver.ts";
import type { Report } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { pause, waitUntil } from "../wait.ts";
import { openHardEnds } from "./hard-ends.ts";
import type { ChaosPostgres } from "./postgres.ts";
import { type Service, startService } from "./service.ts";

/** One process of a deployment. Its connection to PostgreSQL can be made to fail. */
export interface Member {
  readonly service: Service;
  readonly wire: LooseWire;
}

/** What the function that causes a fault gets. It must end with the cluster whole again. */
export interface Faulty<Postgres = ChaosPostgres> {
  readonly stage: Stage;
  readonly postgres: Postgres;
  readonly owner: Member;
  readonly standby: Member;
  readonly floor: Floor;
  /** The operators stop waiting for answers and go on at this member. */
  readonly workAt: (member: Member) => Promise<void>;
  /** Lets the operators go on where they are until some more events are acknowledged. */
  readonly goOn: () => Promise<void>;
  /** Settles when one of the members serves, and records how long that took. */
  readonly untilServed: (...members: readonly Member[]) => Promise<void>;
}

export interface FaultSize {
  readonly cycles: number;
  readonly upToEvents: number;
}

interface PlayedSize extends FaultSize {
  readonly hasPauses?: boolean;
  /** Whether the operators always wait for their answers. Absent: after each fault they hang up and go on. */
  readonly isPatient?: boolean;
}

const connections = 16;
/** The fault comes up to this long after the chosen event. Otherwise every fault would come right after an answer. */
const afterMs = 20;
const longestLifeMs = 20_000;
const restWithinMs = 600_000;
/**
 * The operators hang up without looking whether an answer has come: on a busy machine a few have. If answers counted as
 * delivered too early, it would be most of the connections each time.
 */
const unreadOnHangUp = 4;

/**
 * Runs two processes and a PostgreSQL under load. The fault is caused again and again; then every guarantee is checked.
 */
export async function playFaults<Postgres extends { readonly url: string } = ChaosPostgres>(
  stage: Stage,
  { cycles, upToEvents, hasPauses = false, isPatient = false }: PlayedSize,
  openPostgres: (stage: Stage) => Promise<Postgres>,
  fault: (given: Faulty<Postgres>) => Promise<void>,
): Promise<Report> {
  const receiver = await startReceiver(stage);
  const postgres = await openPostgres(stage);
  const way = toExternalSystem;
  const start = async (name: string): Promise<Member> => {
    const wire = await looseWire(postgres.url);
    stage.onEnd(async () => wire.close());
    const config = { store: wire.url };
    return {
      wire,
      service: await startService({ stage, folder: stage.folder(name), ...way.service(receiver.url), config }),
    };
  };
  const floor = openFloor({ name: "C", connections, eventsPerOrder: 20, mix: way.mix });
  const hardEnds = openHardEnds();
  const gaps: number[] = [];
  const members = [await start("a"), await start("b")];
  let cycle = 0;
  for (cycle of stage.rounds({ most: cycles })) {
    if (cycle % 20 === 0) stage.say(`${cycle} faults, ${floor.acknowledged().toLocaleString("en")} acknowledged`);
    const [owner, standby] = await byRole(members);
    let shift = floor.work(owner.service.url);
    await floor.untilAcknowledged(floor.acknowledged() + stage.random.below(upToEvents), longestLifeMs);
    await pause(stage.random.below(afterMs));
    // An entry that is delivered while its outcome cannot be stored is delivered again.
    hardEnds.ended();
    const goOn = async () => {
      await floor.untilAcknowledged(floor.acknowledged() + stage.random.below(upToEvents), longestLifeMs);
    };
    await fault({
      ...{ stage, postgres, owner, standby, floor, goOn },
      workAt: async (member) => {
        await shift.stop({ hangUp: true });
        shift = floor.work(member.service.url);
        await goOn();
      },
      untilServed: async (...among) => {
        const from = performance.now();
        await untilReady(...among);
        gaps.push(performance.now() - from);
      },
    });
    await shift.stop({ hangUp: !isPatient });
    await byRole(members);
    hardEnds.serves();
  }
  const [owner, standby] = await byRole(members);
  await standby.service.end("SIGTERM");
  const verdict = await settleAndCheck({
    ...{ floor, receiver, service: owner.service, hardEnds: hardEnds.list, withinMs: restWithinMs },
    ...{ direction: way.direction, hasPauses },
  });
  gaps.sort((a, b) => a - b);
  return {
    figures: [
      { what: "faults", value: cycle, unit: "", bar: { at: "least", limit: cycles } },
      ...promiseFigures(verdict, { unread: isPatient ? 0 : unreadOnHangUp + Math.ceil(cycles / 10) }),
      ...(gaps.length === 0
        ? []
        : ([
            { what: "until somebody served, median", value: gaps[gaps.length >> 1] ?? 0, unit: "ms" },
            { what: "until somebody served, worst", value: gaps.at(-1) ?? 0, unit: "ms" },
          ] as const)),
    ],
    violations: verdict.violations,
  };
}

/** Waits until one of the members serves. Returns the owner first, then the other one. */
async function byRole(members: readonly Member[]): Promise<readonly [Member, Member]> {
  let found: Member | undefined;
  const check = async () => {
    for (const member of members) if (await isReady(member)) found = member;
    return found !== undefined;
  };
  await waitUntil(check, { withinMs: 120_000, everyMs: 20 });
  const other = members.find((member) => member !== found);
  if (found === undefined || other === undefined) {
    throw new Error(`nobody serves:\n${members.map(({ service }) => service.output()).join("\n")}`);
  }
  return [found, other];
}

async function untilReady(...members: readonly Member[]): Promise<void> {
  const isAnyReady = async () => (await Promise.all(members.map(isReady))).includes(true);
  if (await waitUntil(isAnyReady, { withinMs: 120_000, everyMs: 20 })) return;
  throw new Error(`nobody serves:\n${members.map(({ service }) => service.output()).join("\n")}`);
}

export async function isReady({ service }: Member): Promise<boolean> {
  try {
    return (await fetch(`${service.url}/health/ready`)).ok;
  } catch {
    // The moment between the standby's listener and the owner's.
    return false;
  }
}
