import { type Form, faultsOf, type Report, type Scenario } from "./scenario.ts";
import { openStage } from "./stage.ts";

export type Played =
  | { readonly skipped: string }
  | { readonly report: Report; readonly faults: readonly string[]; readonly seconds: number; readonly seed: number };

export interface PlayOptions {
  readonly form: Form;
  readonly seed: number;
  readonly say: (text: string) => void;
  /** Called with what must be undone if the whole run is ended from outside. */
  readonly onOpen?: (clear: () => Promise<void>) => void;
}

/** Runs one scenario on a stage of its own and leaves nothing behind. */
export async function play(scenario: Scenario, { form, seed, say, onOpen }: PlayOptions): Promise<Played> {
  const skipped = scenario.missing();
  if (skipped !== null) return { skipped };
  const startedAt = performance.now();
  const stage = openStage({ say, seed });
  onOpen?.(stage.clear);
  try {
    const report = await scenario.run(form, stage);
    const seconds = (performance.now() - startedAt) / 1000;
    return { report, faults: faultsOf(report), seconds, seed };
  } finally {
    await stage.clear();
  }
}
