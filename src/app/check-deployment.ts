import { join } from "node:path";
import type { AskId, TellId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import { systemClock } from "../kit/clock.ts";
import { withDeadline } from "../kit/deadline.ts";
import { silentLog } from "../kit/log.ts";
import { systemTimers } from "../kit/timers.ts";
import { localise } from "../messages/localise.ts";
import type { OpenConnector } from "../sdk/connector.ts";
import { checkMapped } from "../sdk/mapping/check-mapped.ts";
import type { Preview } from "../sdk/preview.ts";
import { problemText } from "../sdk/problem-text.ts";
import { checkOffers, offersOf, unusedConnectors } from "./check-offers.ts";
import type { ConfigProblem } from "./config-error.ts";
import type { Config } from "./config-schema.ts";
import type { LoadedConfig } from "./load-config.ts";
import { openConnectors } from "./open-connectors.ts";

/** One record of an external system, and what the platform would make of it. */
export interface CheckedRecord {
  readonly serves: AskId | PushTopic;
  readonly raw: unknown;
  /** What the platform would get; absent where it would get nothing. */
  readonly record?: unknown;
  readonly problems: readonly { readonly field: string; readonly source?: string; readonly text: string }[];
}

export interface CheckedConnector {
  readonly name: string;
  readonly type: string;
  readonly asks: readonly (AskId | TellId)[];
  readonly tells: readonly (AskId | TellId)[];
  readonly bringsIn: boolean;
  /** Why it cannot be opened, reached or looked at; empty where all went well. */
  readonly errors: readonly string[];
  readonly records: readonly CheckedRecord[];
}

export interface CheckedDeployment {
  readonly ok: boolean;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
  readonly connectors: readonly CheckedConnector[];
}

const answerMs = 30_000;

/** Opens every connector, sees whether it can be reached, and looks at a few records. Changes nothing outside. */
export async function checkDeployment(
  { config, settings, describe }: Pick<LoadedConfig, "config" | "settings" | "describe">,
  { records }: { records: number },
): Promise<CheckedDeployment> {
  const connectors: CheckedConnector[] = [];
  const offers = new Map<string, OpenConnector>();
  for (const name of Object.keys(config.connectors)) {
    connectors.push(await checkConnector({ name, config, dataFolder: settings.dataFolder, records, offers }));
  }
  // What could not be opened has said so; whether it would have offered something nobody knows.
  const isKnown = (name: unknown) => typeof name !== "string" || offers.has(name) || !(name in config.connectors);
  const objections = checkOffers(config, offers).filter(({ path }) => isKnown(nameAt(config, path)));
  const problems = describe(objections);
  const warnings = unusedConnectors(config, offers).map(
    (name) => `the connector ${name} is used by nobody: name it under \`serve\` or \`events\`, or take it out`,
  );
  const isBad = ({ errors, records: seen }: CheckedConnector) =>
    errors.length > 0 || seen.some((record) => record.problems.length > 0);
  return { ok: problems.length === 0 && !connectors.some(isBad), problems, warnings, connectors };
}

const nameAt = (config: Config, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    // Any object can be looked into by name; what is found there is unknown again.
    (at, step) => (typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[step] : undefined),
    config,
  );

async function checkConnector(needs: {
  name: string;
  config: Config;
  dataFolder: string;
  records: number;
  offers: Map<string, OpenConnector>;
}): Promise<CheckedConnector> {
  const { name, config, dataFolder, offers } = needs;
  const given = config.connectors[name];
  const errors: string[] = [];
  const tried = async <Done>(run: () => Promise<Done>): Promise<Done | undefined> => {
    try {
      return await withDeadline(run(), answerMs, () => {});
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const dates = { timeZone: config.timeZone, timeOfDay: config.timeOfDay };
  const opening = {
    clock: systemClock,
    log: silentLog,
    timers: systemTimers,
    dates,
    databaseFile: join(dataFolder, "crossdock.db"),
    // Nothing is noted down: a look must not move a poll on.
    notebooks: { of: () => ({ read: () => undefined, write: async () => {} }) },
  };
  const only = { connectors: given === undefined ? {} : { [name]: given } };
  const held = (await tried(() => openConnectors({ config: only, opening })))?.get(name)?.held;
  const connector = held?.connector;
  let records: readonly CheckedRecord[] = [];
  if (connector !== undefined) {
    offers.set(name, connector);
    await tried(connector.check);
    const { preview } = connector;
    if (preview !== undefined && errors.length === 0) {
      const seen = await tried(() => preview(needs.records));
      records = (seen ?? []).map((one) => checkedRecord(one, config));
    }
    await tried(() => held?.close(0) ?? Promise.resolve());
  }
  return {
    name,
    type: given?.type ?? "",
    asks: offersOf(connector, "ask"),
    tells: offersOf(connector, "tell"),
    bringsIn: connector?.source !== undefined,
    errors,
    records,
  };
}

function checkedRecord({ serves, raw, mapped, problems, sourceOf }: Preview, dates: Config): CheckedRecord {
  const withSource = (field: string, text: string) => {
    const source = sourceOf(field);
    return { field, ...(source === undefined ? {} : { source }), text };
  };
  const own = problems.map(({ field, text }) => withSource(field, text));
  const checked = checkMapped(serves, mapped, dates);
  if ("record" in checked)
    return { serves, raw, ...(own.length === 0 ? { record: checked.record } : {}), problems: own };
  // The mapping has said more exactly why the member is not there.
  const named = new Set(own.map(({ field }) => field));
  const found = checked.problems
    .filter(({ field }) => !named.has(field))
    .map((problem) => withSource(problem.field, localise(problemText(problem), "en")));
  return { serves, raw, problems: [...own, ...found] };
}
