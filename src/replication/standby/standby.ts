import type { Client } from "pg";
import { errorCode } from "../../kit/narrow.ts";
import type { SideFile } from "../../kit/sqlite/side-database.ts";
import { type Clock, systemClock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { type CopyOptions, openCopy } from "../copy/open-copy.ts";
import { type DeploymentState, deploymentState, type Owner } from "../postgres/change-log.ts";
import { reconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { whileBusy } from "../postgres/connection/while-busy.ts";
import { claimOwnership, renewLease } from "../postgres/ownership.ts";
import { prepareTables, unsafeSettings } from "../postgres/prepare-tables.ts";
import { sharedSecret } from "../postgres/shared-secret.ts";
import { movedAway, storeUnusable } from "../postgres/store-unusable.ts";
import { openSideCopies } from "../side/side-copies.ts";
import { followStream } from "./follow-stream.ts";
import { type StoreWatch, storeWatch } from "./store-watch.ts";

export interface StandbyNeeds {
  readonly url: string;
  readonly deployment: string;
  /** The name of this process. */
  readonly owner: string;
  readonly leaseMs: number;
  /** How this process reads the states of all deployments that it follows; absent: this one is read on its own. */
  readonly watch?: StoreWatch | undefined;
  /** How often this process reads the changes and the lease from PostgreSQL, without `watch`. */
  readonly pollMs: number;
  /** The time limit for connecting and for each statement. */
  readonly timeoutMs: number;
  readonly copy: CopyOptions;
  /** What of the configuration is compared with the owner's; another object if it was changed. Absent: nothing is. */
  readonly settings?: (() => object) | undefined;
  readonly sides: { readonly dataFolder: string; readonly files: readonly SideFile[] };
  readonly timers: Timers;
  readonly clock?: Clock | undefined;
  /**
   * Whether this process may take the deployment over, which has had no owner for this long; absent: always. Time
   * counts, because a process that should own it may fail to.
   */
  readonly mayOwn?: ((withoutOwnerMs: number) => boolean) | undefined;
  /** Awaited before this process claims the deployment: everything that takes long and needs no ownership. */
  readonly beforeClaim?: () => Promise<void>;
  /** Whether this process has prepared the tables already. */
  readonly areTablesReady?: boolean;
  /** Called with sentences for people: what happened, and what it means. */
  readonly notify?: (text: string) => void;
}

export interface StandbyView {
  /** How many changes this process has not applied yet, as of the last answer. */
  readonly behind: number;
  /** The last change that this process has applied; null before the first round. */
  readonly position: number | null;
  readonly owner: string | null;
  readonly ownerUrl: string | null;
  /** Settings that differ from the owner's. */
  readonly differs: readonly string[];
  /** Why PostgreSQL cannot be followed right now. */
  readonly trouble: string | null;
  /** Since when, in milliseconds since 1970; null without trouble, and before PostgreSQL was asked. */
  readonly troubleSince: number | null;
}

export interface Standby {
  /** A secret that only the processes of this PostgreSQL know. */
  readonly secret: string;
  readonly view: () => StandbyView;
  /**
   * Settles when this process owns the deployment and the copy is complete and closed; null if it was stopped before.
   */
  readonly owned: Promise<(Owner & { readonly isNew: boolean }) | null>;
  readonly stop: () => Promise<void>;
}

/**
 * How many leases a new owner has until its link renews the lease: on a busy machine a thread takes seconds to begin, and
 * two processes would take the deployment from each other again and again.
 */
const beginLeases = 5;

/** Follows the owner's changes and takes the deployment over when the owner releases it or its lease runs out. */
export async function openStandby(needs: StandbyNeeds): Promise<Standby> {
  const { url, deployment, timers, clock = systemClock, pollMs, timeoutMs, notify = () => {} } = needs;
  const ownWatch = () => {
    const connection = reconnectingClient({ url, name: `crossdock standby ${deployment}`, timeoutMs });
    return storeWatch({ connection, pollMs, timers });
  };
  const { watch, request } = needs.watch ?? ownWatch();
  const watched = watch(deployment);
  let secret: string;
  // Problems with the address, the rights or the tables are reported before anything here is changed.
  try {
    secret = await whileBusy(() => request(firstLook), timers);
  } catch (error) {
    watched.stop();
    throw storeUnusable(error, url);
  }
  const copy = await openCopy(needs.copy).catch((error: unknown) => {
    watched.stop();
    throw error;
  });
  let view: StandbyView = {
    ...{ behind: 0, position: null, owner: null, ownerUrl: null, differs: [] },
    ...{ trouble: null, troubleSince: null },
  };
  let isStopped = false;
  const main = followStream({
    ...{ request, stream: deployment, copy, notify },
    onApplied: (changes) => {
      view = { ...view, behind: Math.max(0, view.behind - changes), position: copy.position().number };
    },
  });
  const sides = openSideCopies({ request, deployment, notify, ...needs.sides });
  const catchUp = async (state: DeploymentState, mayGoOn: () => Promise<boolean>) => {
    await main.catchUp(state, mayGoOn);
    await sides.catchUp(state.sides, mayGoOn);
  };
  const stateNow = () => request((open) => deploymentState(open, deployment));
  /** The settings that were compared last. */
  let compared: { readonly owners: string | null; readonly own: object | null } = { owners: null, own: null };
  const owned = follow();
  return {
    secret,
    view: () => view,
    owned,
    stop: async () => {
      isStopped = true;
      watched.wake();
      await owned;
    },
  };

  async function firstLook(open: Client): Promise<string> {
    if (needs.areTablesReady !== true) {
      await prepareTables(open);
      for (const text of await unsafeSettings(open)) notify(`${text}.`);
    }
    const { movedTo } = await deploymentState(open, deployment);
    if (movedTo !== null) throw movedAway(deployment, movedTo);
    return await sharedSecret(open);
  }

  async function follow() {
    try {
      while (!isStopped) {
        try {
          const state = await round();
          view = { ...view, trouble: null, troubleSince: null };
          if (state !== null) return state;
        } catch (error) {
          const trouble = troubleOf(error, url);
          if (view.trouble === null) notify(`The changes cannot be followed: ${trouble}.`);
          view = { ...view, trouble, troubleSince: view.troubleSince ?? clock.now() };
        }
        if (!isStopped) await watched.pause();
      }
      return null;
    } finally {
      copy.close();
      sides.close();
      watched.stop();
    }
  }

  /** Reads the state from PostgreSQL once and follows it; not null when this process owns the deployment. */
  async function round() {
    const state = (await watched.state()) ?? (await stateNow());
    note(state);
    if (state.movedTo !== null) throw movedAway(deployment, state.movedTo);
    // Checked before anything is restored or claimed, because this program could not use unknown tables.
    copy.refuseUnknown?.(state.layout);
    await catchUp(state, async () => !isStopped);
    // Its own name is there if this process failed right after its claim.
    const isFree = state.owner === null || state.owner === needs.owner || state.isLeaseOver;
    if (isStopped || !isFree || needs.mayOwn?.(Math.max(0, state.leaseOverMs)) === false) return null;
    await needs.beforeClaim?.();
    const leaseMs = beginLeases * needs.leaseMs;
    let renewedAt = timers.passed();
    const epoch = await request((open) => claimOwnership(open, { ...needs, leaseMs }));
    if (epoch === null) return null;
    const owner: Owner = { deployment, epoch, leaseMs: needs.leaseMs };
    let isOurs = true;
    const renew = async () => {
      // Every question to PostgreSQL is waited for while nobody serves.
      if (timers.passed() - renewedAt < needs.leaseMs) return isOurs;
      renewedAt = timers.passed();
      isOurs = await request((open) => renewLease(open, { ...owner, leaseMs }));
      return isOurs;
    };
    // Nothing can be added by anybody else from here on; what was added until now is applied.
    await catchUp(await stateNow(), renew);
    if (!(await renew())) return null;
    return { ...owner, isNew: copy.position().number === 0 };
  }

  function note({ number, owner, ownerUrl, settings }: DeploymentState) {
    const position = copy.position().number;
    const own = needs.settings?.() ?? null;
    const isCompared = settings === compared.owners && own === compared.own;
    const differs = isCompared ? view.differs : settingsThatDiffer(settings, own);
    compared = { owners: settings, own };
    if (differs.join() !== view.differs.join() && differs.length > 0) {
      notify(
        `The owner has another configuration: ${differs.join(", ")}. What is stored, and where it goes, changes when this process takes over.`,
      );
    }
    view = { ...view, behind: Math.max(0, number - position), position, owner, ownerUrl, differs };
  }
}

function settingsThatDiffer(owners: string | null, own: object | null): readonly string[] {
  if (owners === null || own === null) return [];
  // The owner wrote its settings as JSON, so ours are also converted to JSON and back before they are compared.
  const [theirs, ours] = [owners, JSON.stringify(own)].map((text) => JSON.parse(text) as Record<string, unknown>);
  // During an upgrade nearly every section would differ, and nobody could do anything about it.
  if (theirs?.["program"] !== ours?.["program"]) return [];
  const names = new Set([...Object.keys(theirs ?? {}), ...Object.keys(ours ?? {})]);
  return [...names].filter((name) => JSON.stringify(theirs?.[name]) !== JSON.stringify(ours?.[name])).sort();
}

/** The driver has no code for these. */
const brokenConnection = /^(Connection terminated|Query read timeout|timeout expired|Client has encountered)/;

/** What is wrong, for people: if it is PostgreSQL, its address is named. */
function troubleOf(error: unknown, url: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = String(errorCode(error) ?? "");
  const isOfStore = (code !== "" && !code.startsWith("ERR_")) || brokenConnection.test(text);
  return isOfStore ? storeUnusable(error, url).message : text;
}
