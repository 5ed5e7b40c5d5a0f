import { resolve } from "node:path";
import { CommandFailure, type ExitName, type Terminal } from "../command.ts";
import { shownTimeIn, textTable } from "../describe/terminal-text.ts";
import { startFailure } from "../start-failure.ts";
import { timeAtSite } from "./time-at-site.ts";

interface Given {
  readonly at: string | undefined;
  readonly into: string | undefined;
  readonly list: boolean;
  readonly folder: string;
  readonly config: string | undefined;
  readonly data: string | undefined;
}

/** `crossdock restore --at` and `--list`: restores from the history in PostgreSQL. */
export async function restoreAtCommand(given: Given, terminal: Terminal): Promise<ExitName> {
  if (given.folder !== "") {
    throw new CommandFailure("a backup has one time only", {
      next: "leave the folder out, or leave --at and --list out",
    });
  }
  const [{ loadConfig }, { restorableTimes, restoreAtTime }, { projectionOf }] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../../app/backup/restore-at-time.ts"),
    import("../../app/replicated/projection-of.ts"),
  ]);
  const { env, cwd } = terminal;
  const { config, settings } = await loadConfig({ file: given.config, options: { data: given.data }, env, cwd });
  const url = settings.store ?? config.store;
  if (url === undefined) {
    throw new CommandFailure("no PostgreSQL is configured, and the data folder alone has no history", {
      next: "set CROSSDOCK_STORE or `store`, or restore a backup: crossdock restore FOLDER",
    });
  }
  const shown = shownTimeIn(config.timeZone);
  const { deployment } = config;
  const explained = (error: unknown) => {
    throw startFailure(error, settings);
  };
  const times = await restorableTimes({ url, deployment }).catch(explained);
  if (times === null) {
    throw new CommandFailure(`PostgreSQL has no history of the deployment ${deployment}`, {
      next: "check `deployment` and `store`",
    });
  }
  const range = `from ${shown(times.first.at.toISOString())} to now (last change ${shown(times.last.at.toISOString())})`;
  if (given.list) {
    const rows = times.snapshots.map(({ at, number, bytes }) => [
      shown(at.toISOString()),
      `change ${number}`,
      `${(bytes / 2 ** 20).toFixed(1)} MiB`,
    ]);
    terminal.print(`Any time can be restored ${range}.`);
    if (rows.length > 0) terminal.print(`Snapshots:\n${textTable(rows)}`);
    return "ok";
  }
  const at = timeAtSite(given.at ?? "", { timeZone: config.timeZone, now: Date.now() });
  if (at === null) {
    throw new CommandFailure(`${given.at} is not a time`, {
      next: "write 09:41, 2026-01-05T09:41 or 2026-01-05T09:41:00Z",
    });
  }
  if (at > Date.now()) {
    throw new CommandFailure(`${shown(new Date(at).toISOString())} is in the future`, {
      next: `choose a time ${range}`,
    });
  }
  if (given.into === undefined) {
    throw new CommandFailure("the new data folder is not named", { next: "add --into FOLDER" });
  }
  const point = await restoreAtTime({
    ...{ url, deployment, at: new Date(at), into: resolve(cwd, given.into) },
    projection: projectionOf(config),
    notify: (text) => terminal.complain(text),
  }).catch(explained);
  if (point === null) {
    throw new CommandFailure(`PostgreSQL does not go back to ${shown(new Date(at).toISOString())}`, {
      next: `choose a time ${range}`,
    });
  }
  terminal.print(
    `${given.into} is as the deployment was at ${shown(new Date(at).toISOString())} (change ${point.number} of ${shown(point.at.toISOString())}).`,
  );
  terminal.print(
    `Next: look at it without a store: CROSSDOCK_STORE= CROSSDOCK_DATA_DIR=${given.into} crossdock journal list. ` +
      "Before it is started, mind that it delivers again what was not delivered at that time.",
  );
  return "ok";
}
