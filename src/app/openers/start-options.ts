import type { Config } from "../../config/config-schema.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Settings } from "../../config/settings.ts";
import type { SqliteJournalOptions } from "../../journal/sqlite/open-sqlite-journal.ts";
import type { Log } from "../../kit/log.ts";
import type { SideReplica } from "../../kit/sqlite/side-database.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Tracing } from "../../kit/tracing/tracing.ts";
import type { ReloadReport } from "../../runtime/reload.ts";
import type { ConnectorDefinition } from "../../sdk/connector.ts";
import type { Readiness } from "../../server/ops/health-routes.ts";
import type { ConfigSource } from "../console-tools/drafts/config-source.ts";
import type { Mount } from "../listener/mount.ts";
import type { OpenAdapterLog } from "../log/open-adapter-log.ts";
import type { LoadedSample } from "../sample-warehouse/load.ts";
import type { Telemetry } from "../telemetry/open-telemetry.ts";

/** What `start` needs: the configuration, the environment and, optionally, a connector given as code. */
export interface StartOptions extends Partial<Pick<LoadedConfig, "describe" | "redact">> {
  readonly config: Config;
  readonly settings: Settings & { readonly apiKey: string };
  readonly log?: Log;
  readonly clock?: Clock;
  /** The configuration's file, so that it can be changed from the console; absent: it cannot. */
  readonly configuration?: { readonly path: string; readonly source: ConfigSource };
  /** Called with each further configuration that is in effect, wherever it came from. */
  readonly onReloaded?: ((loaded: Reloaded) => void) | undefined;
  /** The script of the command line, so that the console can run its tools; absent: it cannot. */
  readonly program?: string | undefined;
  /** Serves the contract instead of the embedded system. */
  readonly connector?: ConnectorDefinition;
  /** Stores every commit before the data folder does; the data folder is then only a copy. */
  readonly replica?: {
    readonly journal: SqliteJournalOptions["replica"];
    /** The thread for the journal's writer. */
    readonly thread: SqliteJournalOptions["thread"];
    readonly sides: SideReplica;
    /** Whether this process is certainly the owner at this moment. */
    readonly isOurs: () => boolean;
    /** Settles when this process has lost the deployment. */
    readonly lost: Promise<unknown>;
    readonly isFirstStart: boolean;
    /** What this process owns; part of the readiness answer. */
    readonly owns: Readiness["owner"];
    /** The secret with which other processes prove for whom they pass a request on. */
    readonly secret: string;
    /** Entries of earlier owners whose answers this process has passed on. */
    readonly answered: readonly number[];
  };
  /** Takes requests from a listener that outlives the adapter; absent: the adapter listens itself. */
  readonly mount?: Mount | undefined;
  /** Shared with other adapters of the process; absent: the settings decide. */
  readonly telemetry?: Telemetry | undefined;
}

/** A configuration that replaces another one while the adapter runs. */
export type Reloaded = Pick<LoadedConfig, "config" | "settings" | "describe"> &
  Partial<Pick<LoadedConfig, "redact" | "secretSources">>;

/** A running adapter. */
export interface RunningAdapter {
  /** The address that the adapter listens on, with the base path. */
  readonly url: string;
  /** What the sample warehouse loaded in this start; null if it was not loaded. */
  readonly sample: LoadedSample | null;
  /**
   * Switches to another configuration without dropping a request; if it is invalid, throws a ConfigError and changes
   * nothing.
   */
  readonly reload: (loaded: Reloaded) => Promise<ReloadReport>;
  /** Whether only a restart can help: nothing can be stored any more. */
  readonly needsRestart: () => boolean;
  readonly close: () => Promise<void>;
}

/** What every opener may need: the options, and the defaults for absent ones. */
export interface Surroundings extends StartOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly lines: OpenAdapterLog;
  readonly tracing: Tracing | undefined;
}
