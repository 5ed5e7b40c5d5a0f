import { defineScenario, type Report, type Scenario, type ScenarioDefinition } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { toExternalSystem, toPlatform, type Way } from "./way.ts";

export interface BothWaysDefinition<Size> extends Omit<ScenarioDefinition<Size>, "run"> {
  /** The short form for the direction to the platform, if it differs: the tests have limited time. */
  readonly shortForward?: Size;
  readonly run: (size: Size, stage: Stage, way: Way) => Promise<Report>;
}

/**
 * Defines one fault for both directions, with the same sizes and requirements: to the external system, and to the
 * platform.
 */
export const defineBothWays = <Size>(definition: BothWaysDefinition<Size>): readonly [Scenario, Scenario] => {
  const { name, summary, run, shortForward = definition.short } = definition;
  return [
    defineScenario({ ...definition, run: (size, stage) => run(size, stage, toExternalSystem) }),
    defineScenario({
      ...definition,
      name: `forward-${name}`,
      summary: `The same for pushes that are sent to the platform. ${summary}`,
      short: shortForward,
      run: (size, stage) => run(size, stage, toPlatform),
    }),
  ];
};
