import { type Figure, type Form, faultsOf, type Report, type Scenario } from "./scenario.ts";
import { openStage, type Stage } from "./stage.ts";

export type Played =
  | { readonly skipped: string }
  | { readonly report: Report; readonly faults: readonly string[]; readonly seconds: number };

export interface PlayOptions {
  readonly form: Form;
  readonly seed: number;
  readonly say: (text: string) => void;
  /** Time limit for its rounds; absent: none. */
  readonly withinS?: number;
  /** How often the fault is caused; absent: as the form says. */
  readonly count?: number;
  /** Called with the clean-up function for a run that is ended from outside. */
  readonly onOpen?: (clear: () => Promise<void>) => void;
}

/** Runs one scenario on its own stage and leaves nothing behind. */
export async function play(scenario: Scenario, { form, onOpen, count, ...options }: PlayOptions): Promise<Played> {
  const skipped = scenario.missing();
  if (skipped !== null) return { skipped };
  const startedAt = performance.now();
  const stage = openStage(options);
  onOpen?.(stage.clear);
  try {
    const played = await scenario.run(form, stage, count);
    const report = { ...played, figures: [...played.figures, ...boundFigures(stage, played.deployments)] };
    const seconds = (performance.now() - startedAt) / 1000;
    return { report, faults: faultsOf(report, form), seconds };
  } finally {
    await stage.clear();
  }
}

/** What each further deployment may add: its databases, caches and connections. */
const perDeployment = { memoryMiB: 8, descriptors: 40 };

/** I8, for every scenario: the service must stay within these limits. */
function boundFigures({ peaks }: Stage, deployments = 1): readonly Figure[] {
  const most = (limit: number) => ({ at: "most", limit }) as const;
  const memory = most(512 + (deployments - 1) * perDeployment.memoryMiB);
  const descriptors = most(250 + (deployments - 1) * perDeployment.descriptors);
  return [
    { what: "memory at most, MiB", value: Math.round(peaks.memoryMiB), unit: "", bar: memory },
    { what: "file descriptors at most", value: peaks.descriptors, unit: "", bar: descriptors },
    { what: "the journal's log at most, MiB", value: Math.round(peaks.logMiB), unit: "", bar: most(256) },
  ];
}
