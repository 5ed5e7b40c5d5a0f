import { defineScenario } from "../../harness/scenario.ts";
import { type Faulty, isReady, playFaults } from "../../harness/service/cluster.ts";
import { startPostgres } from "../../harness/service/postgres.ts";
import { startPostgresPair } from "../../harness/service/postgres-pair.ts";
import { pause, waitUntil } from "../../harness/wait.ts";

/** Longer than the lease of an owner. */
const pausedMs = 3_000;
const slowMs = 200;

/** After the pause, the owner still believes that it is the owner. */
export const clusterPause = defineScenario({
  name: "cluster-pause",
  summary:
    "The owner is paused for longer than its lease and resumed, while another process works: nothing is overwritten, lost or stored twice; at most the delivery that it was about to send comes once more, under the same id.",
  full: { cycles: 200, upToEvents: 600 },
  short: { cycles: 1, upToEvents: 100 },
  run: (size, stage) =>
    playFaults(stage, { ...size, hasPauses: true }, startPostgres, async ({ owner, standby, workAt, untilServed }) => {
      owner.service.signal("SIGSTOP");
      await pause(pausedMs);
      await untilServed(standby);
      await workAt(standby);
      owner.service.signal("SIGCONT");
      await untilNotReady(owner);
    }),
});

/** A process that cannot reach PostgreSQL cannot answer. One that can, goes on. */
const partitions = [
  async ({ owner, standby, workAt, untilServed }: Faulty) => {
    owner.wire.cut();
    await untilServed(standby);
    await workAt(standby);
    owner.wire.mend();
  },
  async ({ owner, standby, workAt }: Faulty) => {
    standby.wire.cut();
    await workAt(owner);
    standby.wire.mend();
  },
  async ({ owner, standby, untilServed }: Faulty) => {
    owner.wire.cut();
    standby.wire.cut();
    await untilNotReady(owner);
    owner.wire.mend();
    standby.wire.mend();
    await untilServed(owner, standby);
  },
];

export const clusterPartition = defineScenario({
  name: "cluster-partition",
  summary:
    "The owner, the standby or both are cut off from PostgreSQL under load: nothing is answered that PostgreSQL does not have, and somebody serves as soon as one of them reaches it.",
  full: { cycles: 200, upToEvents: 600 },
  short: { cycles: 2, upToEvents: 100 },
  run: (size, stage) => {
    let nth = 0;
    return playFaults(stage, size, startPostgres, async (given) => {
      await partitions[nth++ % partitions.length]?.(given);
    });
  },
});

export const clusterLostReplies = defineScenario({
  name: "cluster-lost-replies",
  summary:
    "PostgreSQL commits and the connection breaks before the answer, again and again under load: no event is acknowledged that it does not have, and none is stored twice.",
  full: { cycles: 1_000, upToEvents: 100 },
  short: { cycles: 3, upToEvents: 30 },
  run: (size, stage) =>
    playFaults(stage, size, startPostgres, async ({ owner }) => {
      const before = owner.wire.lostAnswers();
      owner.wire.loseNextAnswer();
      await waitUntil(async () => owner.wire.lostAnswers() > before, { withinMs: 10_000, everyMs: 5 });
    }),
});

/** Afterwards the process that has claimed the deployment first serves. */
const troubles = [
  ({ postgres }: Faulty) => postgres.restart(),
  async ({ owner, standby, workAt }: Faulty) => {
    for (const { wire } of [owner, standby]) wire.delay(slowMs);
    await workAt(owner);
    for (const { wire } of [owner, standby]) wire.delay(0);
  },
  async ({ postgres, owner }: Faulty) => {
    await postgres.run("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()");
    await untilNotReady(owner);
    await postgres.run("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()");
  },
  async ({ postgres, owner }: Faulty) => {
    await postgres.run(...full);
    await untilNotReady(owner);
    await postgres.run("DROP FUNCTION crossdock.full CASCADE");
  },
];

/** Makes PostgreSQL answer every change as it does when its disk is full. */
const full = [
  `CREATE FUNCTION crossdock.full() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`,
  "CREATE TRIGGER full_disk BEFORE INSERT ON crossdock.change FOR EACH ROW EXECUTE FUNCTION crossdock.full()",
];

export const clusterPostgres = defineScenario({
  name: "cluster-postgres",
  summary:
    "PostgreSQL is restarted, becomes slow by 200 ms, read-only and full, in turns under load: what cannot be stored is refused, and nothing acknowledged is lost.",
  full: { cycles: 200, upToEvents: 600 },
  short: { cycles: 4, upToEvents: 100 },
  run: (size, stage) => {
    let nth = 0;
    return playFaults(stage, size, startPostgres, async (given) => {
      await troubles[nth++ % troubles.length]?.(given);
    });
  },
});

export const clusterFailover = defineScenario({
  name: "cluster-failover",
  summary:
    "PostgreSQL is killed under load and its synchronous standby takes its place, again and again: nothing acknowledged is lost, and events are accepted again within seconds.",
  full: { cycles: 100, upToEvents: 600 },
  short: { cycles: 1, upToEvents: 100 },
  run: (size, stage) =>
    playFaults(
      stage,
      { ...size, isPatient: true },
      startPostgresPair,
      async ({ owner, standby, postgres, untilServed, goOn }) => {
        await postgres.failOver();
        for (const { wire } of [owner, standby]) wire.leadTo(postgres.address());
        await untilServed(owner, standby);
        // Their requests waited, and are answered now. Who hung up at this moment would not read the answer, so that nobody
        // could tell whether they got it.
        await goOn();
        await postgres.repair();
      },
    ),
});

async function untilNotReady(member: Faulty["owner"]): Promise<void> {
  if (await waitUntil(async () => !(await isReady(member)), { withinMs: 120_000, everyMs: 20 })) return;
  throw new Error(`the process still serves:\n${member.service.output()}`);
}
