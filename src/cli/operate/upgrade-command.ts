import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { StoreReport } from "../../app/upgrade/check-store.ts";
import type { UpgradeReport } from "../../app/upgrade/check-upgrade.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { readText } from "../../kit/files/read-text.ts";
import { CommandFailure, defineCommand, type Terminal } from "../command.ts";
import { textTable } from "../describe/terminal-text.ts";
import { adapterOptions } from "../find-adapter.ts";

export const upgradeCommand = defineCommand({
  name: "upgrade",
  summary: "say what this version changes for a configuration and a data folder, and make a backup before",
  details:
    "Run it with the new version, on the machine of the adapter, before the new version is started; the adapter may still run. With --check it changes " +
    "nothing and ends with 1 if something has to be done before the upgrade. With --backup it writes a backup to return to, and says what to do next.",
  arguments: [],
  options: {
    check: { description: "only say what would change" },
    backup: {
      value: "FOLDER",
      description: "write a backup into this new folder, if nothing stands against the upgrade",
    },
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    data: adapterOptions.data,
    json: { description: "with --check: print JSON" },
  },
  examples: [
    { command: "crossdock upgrade --check", does: "says what this version changes" },
    { command: "crossdock upgrade --backup /backup/before-0.2.0", does: "the same, and writes a backup" },
  ],
  run: async ({ options, terminal }) => {
    if (!options.check && options.backup === undefined) {
      throw new CommandFailure("say what to do", { next: "crossdock upgrade --check, or --backup FOLDER" });
    }
    const target = options.backup === undefined ? undefined : resolve(terminal.cwd, options.backup);
    if (target !== undefined && existsSync(target)) {
      throw new CommandFailure(`${options.backup} already exists`, { next: "choose another name" });
    }
    const report = await reportFor({ ...options, backup: target }, terminal);
    terminal.print(options.json ? JSON.stringify(report, null, 2) : reportText(report));
    if (report.obstacles.length > 0) return "failed";
    if (options.check || target === undefined) return "ok";
    const { backUp } = await import("../../app/backup/write-backup.ts");
    const made = await backUp({ dataFolder: report.data.folder, target, now: Date.now() });
    if (made === null) terminal.print("There is no data yet, so there is nothing to back up.");
    else terminal.print(`\nBackup: ${target}, ${sizeText(made.bytes)}, ${made.entries} entries.`);
    terminal.print("Next: stop the adapter and start this version.");
    return "ok";
  },
});

async function reportFor(
  options: Readonly<Record<"config" | "data" | "backup", string | undefined>>,
  terminal: Terminal,
) {
  const [
    { defaultFile, loadConfig },
    { settings },
    { checkUpgrade },
    { versionInfo },
    { upgradeText },
    { configDocument },
  ] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../../config/settings.ts"),
    import("../../app/upgrade/check-upgrade.ts"),
    import("../../app/version-info.ts"),
    import("../../config/upgrade/upgrade-text.ts"),
    import("../../config/document/config-document.ts"),
  ]);
  const { env: given, cwd } = terminal;
  const env = options.data === undefined ? given : { ...given, CROSSDOCK_DATA_DIR: options.data };
  const { dataFolder } = settings({ env, cwd, hasConfigFile: true }).settings;
  const named = options.config ?? (env["CROSSDOCK_CONFIG"]?.trim() || undefined);
  const path = resolve(cwd, named ?? defaultFile);
  if (named !== undefined && !existsSync(path)) {
    throw new CommandFailure(`${path} does not exist`, { next: "name the file with --config" });
  }
  const file = existsSync(path) ? path : null;
  const oldSpellings = file === null ? [] : spellingsIn(readText(file));
  const load = (withoutSecrets: boolean) =>
    loadConfig({ file: options.config, options: { data: options.data }, env, cwd, withoutSecrets });
  // Old spellings are reported already, and loading would refuse the file because of them.
  const loaded = oldSpellings.length > 0 ? null : await load(true).catch((error: Error) => error);
  const errors = loaded instanceof Error ? loaded.message.split("\n") : [];
  const configuration = { file, oldSpellings, errors };
  const store = loaded === null || loaded instanceof Error ? undefined : await storeOf(loaded);
  return checkUpgrade({ version: versionInfo().version, dataFolder, configuration, store, backup: options.backup });

  async function storeOf({ config: { deployment, store: configured }, settings: { store: given } }: LoadedConfig) {
    const named = given ?? configured;
    const { checkStore } = await import("../../app/upgrade/check-store.ts");
    const isBackedUp = options.backup !== undefined;
    if (named === undefined) {
      const { holdsCopy } = await import("../../app/move/move-marks.ts");
      // The address is in the environment of the adapter, and a terminal does not have it.
      return holdsCopy(dataFolder) ? await checkStore({ url: null, deployment, dataFolder, isBackedUp }) : undefined;
    }
    // Whoever prepares an upgrade may not have all secrets of the adapter.
    const url = given ?? (await load(false).catch(() => null))?.config.store ?? (isWhole(named) ? named : null);
    return await checkStore({ url, deployment, dataFolder, isBackedUp });
  }

  function spellingsIn(text: string) {
    configDocument(text, path);
    return upgradeText(text).found;
  }
}

/** Whether no value from outside the file is missing in it. */
const isWhole = (address: string): boolean => /^postgres(ql)?:/.test(address) && !address.includes("${");

const kinds: Readonly<Record<UpgradeReport["kind"], string>> = {
  none: "the same version",
  patch:
    "a patch version: the tables stay as they are, and the earlier version can be installed again without a restore",
  minor: "a new minor version: to go back, restore the backup with the earlier version",
  back: "an earlier version of the same minor version: it can be installed and started, and nothing is lost",
  older: "an earlier minor version: it needs the backup that was made before the upgrade",
  unknown: "the data folder does not say which version opened it last",
};

function reportText(report: UpgradeReport): string {
  const { version, before, kind, configuration, data, backupDisk, store, obstacles } = report;
  const { oldSpellings, errors, file } = configuration;
  const steps = data.tables.filter(({ found, wanted }) => found < wanted);
  const stepText = steps.map(({ part, found, wanted }) => `${part} ${found} → ${wanted}`).join(", ");
  const rows = [
    ["Version", `${before ?? "unknown"} → ${version}: ${kinds[kind]}`],
    [
      "Configuration",
      oldSpellings.length + errors.length === 0
        ? `${file ?? "none, all defaults"}: as this version wants it`
        : `${file}: has to be changed, see below`,
    ],
    [
      store === null ? "Data folder" : "Copy here",
      data.exists ? `${data.folder}: ${sizeText(data.bytes)}${behindText(store)}` : `${data.folder}: has no data yet`,
    ],
    [
      "Tables",
      steps.length === 0
        ? "nothing to do"
        : `${stepText}, at the first start; about ${data.aboutSeconds} s longer than usual`,
    ],
    ...(store === null ? [] : storeRows(store)),
    ...(data.freeBytes === null
      ? []
      : [
          [
            "Disk",
            `${sizeText(data.freeBytes)} free, ${sizeText(data.neededBytes)} needed${backupDisk === null ? " with a backup on the same disk" : ""}`,
          ],
        ]),
    ...(backupDisk === null
      ? []
      : [["Backup", `${sizeText(backupDisk.freeBytes)} free on its disk, ${sizeText(backupDisk.neededBytes)} needed`]]),
  ];
  const remedy = oldSpellings.length > 0 ? ["", "Next: crossdock config upgrade --dry-run shows the new file."] : [];
  const listed =
    obstacles.length === 0
      ? ["", "Nothing stands against it."]
      : ["", "To be done before:", ...obstacles.map((one) => `  - ${one}`)];
  return [textTable(rows), ...listed, ...remedy].join("\n");
}

const behindText = (store: StoreReport | null): string =>
  store?.behind === undefined || store.behind === null || store.behind === 0
    ? ""
    : `, ${store.behind} changes behind PostgreSQL`;

function storeRows({ address, deployment, trouble, tables, steps, bytes, changes, owner }: StoreReport): string[][] {
  if (trouble !== null || tables === null) return [["PostgreSQL", `${address}: not asked, ${trouble}`]];
  const state =
    changes === null
      ? `does not know the deployment ${deployment} yet`
      : `${sizeText(bytes)}, deployment ${deployment} at change ${changes}, ${owner === null ? "no owner now" : `owned by ${owner}`}`;
  const later = steps.filter(({ found, wanted }) => found < wanted);
  const own =
    tables.found === tables.wanted
      ? []
      : tables.found === 0
        ? ["made at the first start"]
        : [
            `${tables.found} → ${tables.wanted} at the first start of any process with this version; earlier versions cannot be started there afterwards`,
          ];
  const inside =
    later.length === 0
      ? []
      : [
          `${later.map(({ part, found, wanted }) => `${part} ${found} → ${wanted}`).join(", ")} as soon as a process with this version owns the deployment; ` +
            "earlier versions follow it no more, and going back needs crossdock restore --at. Upgrade the standbys first",
        ];
  const all = [...own, ...inside];
  return [
    ["PostgreSQL", `${address}: ${state}`],
    ["Tables there", all.length === 0 ? "nothing to do" : all.join("; ")],
  ];
}

const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
