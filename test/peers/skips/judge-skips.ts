import { machineRights, missingRight } from "../../../chaos/harness/disks/machine-rights.ts";

export interface SkippedTest {
  readonly name: string;
  /** Where a right of the machine is missing, the right's name stands before the first colon. */
  readonly reason: string;
}

export interface SkipRules {
  /** CROSSDOCK_REQUIRE_PEERS=1: a skipped test is a failed one. */
  readonly isComplete: boolean;
  /** CROSSDOCK_ALLOWED_SKIPS: rights that this machine is known not to grant, with commas between them. */
  readonly allowed: readonly string[];
  readonly rights: readonly string[];
  readonly missingRight: (right: string) => string | null;
}

/** Everything that speaks against a run that skipped these; empty where nothing does. */
export function judgeSkips(skipped: readonly SkippedTest[], rules: SkipRules): string[] {
  if (!rules.isComplete) return [];
  const isAllowed = ({ reason }: SkippedTest) => rules.allowed.includes(reason.split(":")[0] ?? "");
  const failed = skipped
    .filter((test) => !isAllowed(test))
    .map(({ name, reason }) => `skipped, although nothing may be: ${name}: ${reason}`);
  const wrong = rules.allowed.flatMap((name) => {
    if (!rules.rights.includes(name)) {
      return [`CROSSDOCK_ALLOWED_SKIPS names ${name}, which is none of ${rules.rights.join(", ")}`];
    }
    // An allowance that nobody takes back would hide the next thing that cannot run.
    if (rules.missingRight(name) === null) {
      return [
        `CROSSDOCK_ALLOWED_SKIPS names ${name}, which this machine grants: remove it, so that these tests must run`,
      ];
    }
    return [];
  });
  return [...failed, ...wrong];
}

/** The rules that the environment sets for this run. */
export function skipRules(env: NodeJS.ProcessEnv = process.env): SkipRules {
  return {
    isComplete: env["CROSSDOCK_REQUIRE_PEERS"] === "1",
    allowed: (env["CROSSDOCK_ALLOWED_SKIPS"] ?? "").split(",").flatMap((name) => name.trim() || []),
    rights: machineRights,
    missingRight: (name) => {
      const right = machineRights.find((one) => one === name);
      return right === undefined ? null : missingRight(right);
    },
  };
}
