import { join } from "node:path";
import { checkOffers, offeredOf, switchedOff } from "../../config/checks/check-references.ts";
import type { Config } from "../../config/config-schema.ts";
import type { ConfigProblem } from "../../config/document/config-error.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { forwardConnectors, forwardName } from "../../config/sections/forward-connectors.ts";
import { receiptTopic } from "../../contract/change-receipt.ts";
import type { OfferedId } from "../../contract/operations.ts";
import { pushTopics } from "../../contract/pushes.ts";
import type { ForwardMode } from "../../engine/forward/forwarded.ts";
import type { Capability } from "../../engine/queries/routing.ts";
import { silentLog } from "../../kit/log.ts";
import { systemClock, withDeadline } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { type Offer, offerOf, type SampledRecord } from "../../sdk/connector.ts";
import { openConnectors } from "../open-connectors.ts";
import { blankWarnings } from "./blank-warnings.ts";
import { deploymentWarnings } from "./deployment-warnings.ts";
import {
  type CheckedEvent,
  type CheckedId,
  dryRunEvents,
  eventIds,
  exampleOf,
  type SampleRequest,
  sampleRequest,
} from "./dry-run-events.ts";
import { aboutOrder, firstOrder } from "./example-subject.ts";
import { hasLineIds, lineIdWarnings } from "./line-id-warnings.ts";
import { missingNames } from "./missing-names.ts";
import { type CheckedRecord, checkedRecord, previewByQuerying, tryQueries } from "./try-queries.ts";

export interface CheckedConnector {
  readonly name: string;
  readonly type: string;
  readonly queries: readonly OfferedId[];
  readonly takes: readonly OfferedId[];
  readonly bringsIn: boolean;
  /** Why the connector cannot be opened, reached or previewed; empty if there is no problem. */
  readonly errors: readonly string[];
  /** Allowed settings that probably do not do what was meant. */
  readonly warnings: readonly string[];
  readonly records: readonly CheckedRecord[];
  /** Queries that were not tried, and answers that may be wrong. */
  readonly notes: readonly string[];
  /** What would be sent for each event that goes to this connector. */
  readonly events: readonly CheckedEvent[];
}

export interface CheckedDeployment {
  readonly ok: boolean;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
  readonly connectors: readonly CheckedConnector[];
  /** Capabilities that are switched off by `none`. */
  readonly switchedOff: readonly Capability[];
  /** What is forwarded to the platform's own interface, and whether that interface can be reached. */
  readonly forward: readonly CheckedForward[];
}

export interface CheckedForward extends SampleRequest {
  readonly mode: ForwardMode;
}

type Loaded = Pick<LoadedConfig, "config" | "settings" | "describe">;

const answerMs = 30_000;

/** Opens every connector, checks that it can be reached and previews a few records. Changes nothing outside. */
export async function checkDeployment(
  { config, settings, describe }: Loaded,
  { records }: { records: number },
): Promise<CheckedDeployment> {
  const connectors: CheckedConnector[] = [];
  const offers = new Map<string, Offer>();
  const { dataFolder } = settings;
  for (const [name, given] of Object.entries(config.connectors)) {
    connectors.push(await checkConnector({ name, given, config, dataFolder, records, offers, describe }));
  }
  const forward = await checkForward({ config, settings, describe });
  // A connector that could not be opened has reported that already; its operations are unknown.
  const problems = describe(checkOffers(config, offers));
  const warnings = [
    ...deploymentWarnings(config, offers),
    ...connectors.flatMap((one) => one.warnings.map((text) => `${one.name}: ${text}`)),
  ];
  const isBad = ({ errors, records: previews, events }: CheckedConnector) =>
    errors.length > 0 ||
    previews.some((record) => record.problems.length > 0) ||
    events.some(({ error }) => error !== undefined);
  const isOk = problems.length === 0 && !connectors.some(isBad) && !forward.some(({ errors }) => errors.length > 0);
  return { ok: isOk, problems, warnings, connectors, switchedOff: switchedOff(config.serve), forward };
}

/** Checks what needs no external system. Loading the configuration has already checked everything else. */
export async function checkOffline({ config }: Pick<LoadedConfig, "config">): Promise<CheckedDeployment> {
  const forward = await sampleForward(config);
  const isOk = forward.every(({ errors }) => errors.length === 0);
  return { ok: isOk, problems: [], warnings: [], connectors: [], switchedOff: switchedOff(config.serve), forward };
}

/**
 * Checks a single connector, as `checkDeployment` would, with events about an order of the system; null if there is none
 * of this name.
 */
export async function checkOneConnector(
  { config, settings, describe }: Loaded,
  { name, records }: { name: string; records: number },
): Promise<CheckedConnector | null> {
  const given = config.connectors[name];
  if (given === undefined) return null;
  const { dataFolder } = settings;
  const needs = { name, given, config, dataFolder, records, offers: new Map(), describe };
  return await checkConnector({ ...needs, isAboutOwnOrder: true });
}

/** Only checks that the platform's interface can be reached; nothing is sent. */
async function checkForward({ config, settings, describe }: Loaded): Promise<CheckedForward[]> {
  const { dataFolder } = settings;
  const connectors = forwardConnectors(config.platform.forward);
  const checked: CheckedForward[] = [];
  for (const sample of await sampleForward(config)) {
    const name = forwardName(sample.topic);
    const given = connectors[name];
    if (given === undefined) continue;
    const needs = { name, given, config, dataFolder, records: 0, offers: new Map<string, Offer>(), describe };
    const { errors } = await checkConnector(needs);
    checked.push({ ...sample, errors: [...sample.errors, ...errors] });
  }
  return checked;
}

async function sampleForward(config: Config): Promise<CheckedForward[]> {
  const { forward } = config.platform;
  const samples = pushTopics.map(async (topic): Promise<CheckedForward[]> => {
    const { request, mode } = forward[topic] ?? {};
    if (request === undefined || mode === undefined) return [];
    return [{ ...(await sampleRequest(topic, request, config)), mode }];
  });
  return (await Promise.all(samples)).flat();
}

async function checkConnector(needs: {
  name: string;
  given: Config["connectors"][string];
  config: Config;
  dataFolder: string;
  records: number;
  offers: Map<string, Offer>;
  describe: LoadedConfig["describe"];
  /** Whether the example events are about an order that the system has sent. */
  isAboutOwnOrder?: true;
}): Promise<CheckedConnector> {
  const { name, given, config, dataFolder, offers, describe } = needs;
  const errors: string[] = [];
  const tried = async <Done>(run: () => Promise<Done>): Promise<Done | undefined> => {
    try {
      return await withDeadline(run(), answerMs, () => {});
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const opening = openingFor(config, dataFolder);
  const only = { connectors: { [name]: given } };
  const connector = (await tried(() => openConnectors({ config: only, opening })))?.get(name)?.connector;
  let records: readonly CheckedRecord[] = [];
  let events: readonly CheckedEvent[] = [];
  const notes: string[] = [];
  const warnings = [...(connector?.warnings ?? [])];
  if (connector !== undefined) {
    offers.set(name, offerOf(connector));
    await tried(connector.check);
    const samples: SampledRecord[] = [];
    const onRecord = (sampled: SampledRecord) => void samples.push(sampled);
    const preview = connector.preview ?? ((limit: number) => previewByQuerying(connector, limit));
    if (needs.records > 0 && errors.length === 0) {
      const previews = (await tried(() => preview(needs.records, onRecord))) ?? [];
      // The orders are read twice: ids that differ between two answers do not identify a line.
      const again = hasLineIds(previews) ? ((await tried(() => preview(needs.records))) ?? []) : [];
      warnings.push(...lineIdWarnings(previews, again), ...blankWarnings(previews));
      const more = await tried(() => tryQueries(connector, previews, onRecord));
      const missing = missingNames({ connector: name, options: given, samples, describe });
      errors.push(...missing.errors);
      warnings.push(...missing.warnings);
      errors.push(...(more?.errors ?? []));
      notes.push(...(more?.notes ?? []));
      records = [...previews, ...(more?.previews ?? [])].map((one) => checkedRecord(one, config));
    }
    const order = needs.isAboutOwnOrder === true ? firstOrder(records) : undefined;
    const wanted = eventsFor(name, config).map(({ event, input }) => ({
      ...{ event, input: order === undefined ? input : aboutOrder(input, order) },
    }));
    events = (await tried(() => dryRunEvents(connector, wanted, systemClock.now(), order))) ?? [];
    await tried(() => connector?.close() ?? Promise.resolve());
  }
  const offer = offers.get(name) ?? nothing;
  return {
    name,
    type: given.type,
    queries: offeredOf(offer, "query"),
    takes: offeredOf(offer, "event"),
    bringsIn: offer.bringsIn,
    errors,
    warnings,
    records,
    notes,
    events,
  };
}

/** An event to preview; without content the example of the contract is used. */
export interface EventToCheck {
  readonly event: CheckedId;
  readonly input: unknown;
}

function eventsFor(name: string, { events }: Config): readonly EventToCheck[] {
  return eventIds.filter((id) => targetOf(id, events) === name).map((event) => ({ event, input: exampleOf(event) }));
}

/** Single events may go to another connector; receipts do not. */
const targetOf = (id: CheckedId, { to, by }: Config["events"]): string | undefined =>
  (id === receiptTopic ? undefined : by[id]) ?? to;

/**
 * Returns what would be sent for one event, and by which connector; null if the event has no target. Calls no external
 * system.
 */
export async function checkEvent(
  { config, settings }: Pick<LoadedConfig, "config" | "settings">,
  asked: EventToCheck,
): Promise<(CheckedEvent & { readonly connector: string }) | null> {
  const { events, connectors } = config;
  const name = targetOf(asked.event, events);
  const given = name === undefined ? undefined : connectors[name];
  if (name === undefined || given === undefined) return null;
  const opening = openingFor(config, settings.dataFolder);
  const only = { connectors: { [name]: given } };
  const connector = (await openConnectors({ config: only, opening })).get(name)?.connector;
  if (connector === undefined) return null;
  try {
    const [checked] = await dryRunEvents(connector, [asked], systemClock.now());
    const { dryRun, dryRunNotice, notices } = connector;
    const isReceipt = asked.event === receiptTopic;
    const isSilent = isReceipt ? notices !== undefined && dryRunNotice === undefined : dryRun === undefined;
    const error = isSilent ? "this connector cannot say what it would send" : undefined;
    const missing = { event: asked.event, requests: [], error: error ?? `${name} describes nothing for this event` };
    return { connector: name, ...(checked ?? missing) };
  } finally {
    await connector.close();
  }
}

const openingFor = ({ timeZone, timeOfDay }: Config, dataFolder: string) => ({
  clock: systemClock,
  log: silentLog,
  timers: systemTimers,
  dates: { timeZone, timeOfDay },
  databaseFile: join(dataFolder, "crossdock.db"),
  // Connector state is not saved: a preview must not advance the position of a poll.
  connectorStates: { of: () => ({ read: () => undefined, write: async () => {} }) },
});

const nothing: Offer = { operations: [], takesNotices: false, bringsIn: false };
