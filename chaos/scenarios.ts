import type { Scenario } from "./harness/scenario.ts";
import { badReceiver } from "./scenarios/bad-receiver.ts";
import {
  clusterFailover,
  clusterLostReplies,
  clusterPartition,
  clusterPause,
  clusterPostgres,
} from "./scenarios/cluster/faults.ts";
import { clusterKill } from "./scenarios/cluster/kill-owner.ts";
import { clusterRolling } from "./scenarios/cluster/rolling.ts";
import { damage } from "./scenarios/damage.ts";
import { diskFull } from "./scenarios/disk-full.ts";
import { failingSync } from "./scenarios/failing-sync.ts";
import { kill } from "./scenarios/kill.ts";
import { mutants } from "./scenarios/mutants.ts";
import { outage } from "./scenarios/outage.ts";
import { poisoned } from "./scenarios/poisoned.ts";
import { powerCutExt4, powerCutXfs } from "./scenarios/power-cut.ts";
import { bulkKill } from "./scenarios/pushes/bulk-kill.ts";
import { retries } from "./scenarios/retries.ts";
import { shutdown } from "./scenarios/shutdown.ts";
import { slowSync } from "./scenarios/slow-sync.ts";

/** Each fault in both directions. The faulty builds run only once, because they break what both directions share. */
export const scenarios: readonly Scenario[] = [
  kill,
  bulkKill,
  powerCutXfs,
  powerCutExt4,
  mutants,
  damage,
  diskFull,
  failingSync,
  slowSync,
  clusterKill,
  clusterPause,
  clusterPartition,
  clusterLostReplies,
  clusterPostgres,
  clusterFailover,
  clusterRolling,
  badReceiver,
  outage,
  poisoned,
  shutdown,
  retries,
].flat();
