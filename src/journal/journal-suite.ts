import { appendChecks } from "./suite/append-checks.ts";
import { exchangeChecks } from "./suite/exchange-checks.ts";
import { idempotencyChecks } from "./suite/idempotency-checks.ts";
import type { OpenForTest } from "./suite/journal-check.ts";
import { leaseChecks } from "./suite/lease-checks.ts";
import { parkingChecks } from "./suite/parking-checks.ts";
import { personChecks } from "./suite/person-checks.ts";
import { readingChecks } from "./suite/reading-checks.ts";
import { repeatChecks } from "./suite/repeat-checks.ts";
import { retentionChecks } from "./suite/retention-checks.ts";
import { stagingChecks } from "./suite/staging-checks.ts";
import { supersedeChecks } from "./suite/supersede-checks.ts";

const checks = [
  ...appendChecks,
  ...leaseChecks,
  ...repeatChecks,
  ...idempotencyChecks,
  ...parkingChecks,
  ...personChecks,
  ...readingChecks,
  ...retentionChecks,
  ...exchangeChecks,
  ...stagingChecks,
  ...supersedeChecks,
];

/**
 * The promises that every journal implementation must keep. Each has a name, and a function that throws if the promise
 * is broken.
 */
export function journalSuite({ open }: { open: OpenForTest }): readonly { name: string; run: () => Promise<void> }[] {
  return checks.map(({ name, run }) => ({ name, run: () => run(open) }));
}
