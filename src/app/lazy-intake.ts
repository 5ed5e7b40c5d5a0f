import type { IntakeNeeds } from "../engine/intake.ts";
import { createIntake } from "../engine/intake.ts";
import { type IntakeFile, openIntakeFile } from "../engine/quarantine/open-intake-file.ts";
import type { Clock } from "../kit/clock.ts";
import { systemTimers } from "../kit/timers.ts";
import type { Intake } from "../sdk/intake.ts";

export interface LazyIntake {
  readonly of: (connector: string) => Intake;
  /** Opened when it is first asked for: an adapter without connectors has no use for it. */
  readonly file: () => IntakeFile;
  readonly close: () => void;
}

export function lazyIntake(
  needs: Pick<IntakeNeeds, "engine" | "dates" | "log"> & { readonly clock: Clock; readonly dataFolder: string },
): LazyIntake {
  let opened: IntakeFile | undefined;
  let intakes: ReturnType<typeof createIntake> | undefined;
  const file = () => {
    opened ??= openIntakeFile({ ...needs, timers: systemTimers });
    return opened;
  };
  return {
    of: (connector) => {
      intakes ??= createIntake({ ...needs, ...file(), timers: systemTimers });
      return intakes(connector);
    },
    file,
    close: () => opened?.close(),
  };
}
