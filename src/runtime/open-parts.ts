import { checkOffers } from "../config/checks/check-references.ts";
import type { Config } from "../config/config-schema.ts";
import { ConfigError, type ConfigProblem, type Objection } from "../config/document/config-error.ts";
import { forwardConnectors, forwardedTopic } from "../config/sections/forward-connectors.ts";
import type { JournalReader } from "../journal/journal.ts";
import { closeUnused, type Shared, UserCount } from "../kit/current-snapshot.ts";
import { offerOf } from "../sdk/connector.ts";
import type { Opening } from "./connector-state.ts";
import type { FallbackGuard } from "./fallback-guard.ts";
import type { Base, OpenBase } from "./open-base.ts";
import { type Bound, bindConnectors, type NamedConnector, NotOpened, openConnectors } from "./open-connectors.ts";

/** Everything that has to be opened for one configuration; a snapshot is made from it. */
export interface OpenParts extends Bound {
  readonly config: Config;
  readonly base: Base;
  readonly opened: ReadonlyMap<string, NamedConnector>;
  /** The users of the snapshot. */
  readonly users: UserCount;
  /** The queries that are answered from fallback data at the moment. */
  readonly fallbackState: FallbackGuard["state"];
}

/** A configuration to switch to, and how to report its problems. */
export interface Wanted {
  readonly config: Config;
  readonly describe: (objections: readonly Objection[]) => readonly ConfigProblem[];
}

export interface OpenPartsNeeds {
  readonly opening: Opening;
  readonly read: JournalReader;
  readonly guardFor: (config: Config, users: UserCount) => Promise<FallbackGuard>;
  readonly openBase: OpenBase;
}

/**
 * Opens what a configuration needs and binds it. A connector that is already open with the same options is shared. If
 * anything fails, throws a ConfigError and leaves nothing open that was not open before.
 */
export async function openParts(
  needs: OpenPartsNeeds,
  { config, describe }: Wanted,
  before: Pick<OpenParts, "config" | "base" | "opened"> | null,
): Promise<OpenParts> {
  const users = new UserCount();
  const opened = await open();
  let base: Base | null = null;
  try {
    const offers = new Map([...opened].map(([name, { connector }]) => [name, offerOf(connector)]));
    const objections = checkOffers(config, offers);
    if (objections.length > 0) throw new ConfigError(describe(objections));
    const { guard, state } = await needs.guardFor(config, users);
    base = await needs.openBase(config, before);
    const bound = bindConnectors({ config, base, opened, users, read: needs.read, guard });
    for (const one of [base, ...opened.values()]) one.keep();
    return { ...bound, config, base, opened, users, fallbackState: state };
  } catch (error) {
    const fresh: Shared[] = [...opened.values()].filter((one) => before?.opened.get(one.name) !== one);
    if (base !== null && base !== before?.base) fresh.push(base);
    await Promise.all(fresh.map(closeUnused));
    throw error;
  }

  async function open(): Promise<Map<string, NamedConnector>> {
    const { timeZone, timeOfDay } = config;
    const opening = { ...needs.opening, dates: { timeZone, timeOfDay } };
    try {
      const connectors = { ...config.connectors, ...forwardConnectors(config.platform.forward) };
      return await openConnectors({
        config: { connectors },
        opening,
        ...(before === null ? {} : { open: before.opened }),
      });
    } catch (error) {
      if (!(error instanceof NotOpened)) throw error;
      const topic = forwardedTopic(error.connector);
      const path = topic === undefined ? ["connectors", error.connector] : ["platform", "forward", topic];
      throw new ConfigError(describe([{ path, text: error.message }]));
    }
  }
}

/** Closes everything that no other snapshot uses. */
export async function releaseParts({ base, opened }: Pick<OpenParts, "base" | "opened">): Promise<void> {
  const released = await Promise.allSettled([base, ...opened.values()].map((one) => one.release()));
  const errors = released.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (errors.length > 0) throw new AggregateError(errors, "not every connector could be closed");
}
