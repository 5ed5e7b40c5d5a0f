import type { Scenario } from "./harness/scenario.ts";
import { badReceiver, forwardBadReceiver } from "./scenarios/bad-receiver.ts";
import { diskFull } from "./scenarios/disk-full.ts";
import { failingSync } from "./scenarios/failing-sync.ts";
import { forwardKill, kill } from "./scenarios/kill.ts";
import { mutants } from "./scenarios/mutants.ts";
import { forwardOutage, outage } from "./scenarios/outage.ts";
import { platformRetries } from "./scenarios/platform-retries.ts";
import { poisoned } from "./scenarios/poisoned.ts";
import { forwardPowerCut, powerCutExt4, powerCutXfs } from "./scenarios/power-cut.ts";
import { forwardShutdown, shutdown } from "./scenarios/shutdown.ts";
import { slowSync } from "./scenarios/slow-sync.ts";

export const scenarios: readonly Scenario[] = [
  kill,
  powerCutXfs,
  powerCutExt4,
  mutants,
  diskFull,
  failingSync,
  slowSync,
  badReceiver,
  outage,
  poisoned,
  shutdown,
  platformRetries,
  forwardKill,
  forwardPowerCut,
  forwardShutdown,
  forwardOutage,
  forwardBadReceiver,
];
