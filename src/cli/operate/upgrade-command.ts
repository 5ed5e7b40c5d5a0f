import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { UpgradeReport } from "../../app/upgrade/check-upgrade.ts";
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
  const oldSpellings = file === null ? [] : spellingsIn(readFileSync(file, "utf8"));
  const load = () =>
    loadConfig({ file: options.config, options: { data: options.data }, env, cwd, withoutSecrets: true });
  // Old spellings are reported already, and loading would refuse the file because of them.
  const errors =
    oldSpellings.length > 0
      ? []
      : await load().then(
          () => [],
          (error: Error) => error.message.split("\n"),
        );
  const configuration = { file, oldSpellings, errors };
  return checkUpgrade({ version: versionInfo().version, dataFolder, configuration, backup: options.backup });

  function spellingsIn(text: string) {
    configDocument(text, path);
    return upgradeText(text).found;
  }
}

const kinds: Readonly<Record<UpgradeReport["kind"], string>> = {
  none: "the same version",
  patch:
    "a patch version: the tables stay as they are, and the earlier version can be installed again without a restore",
  minor: "a new minor version: to go back, restore the backup with the earlier version",
  older: "an older version than the one that opened the data folder last",
  unknown: "the data folder does not say which version opened it last",
};

function reportText({ version, before, kind, configuration, data, backupDisk, obstacles }: UpgradeReport): string {
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
    ["Data folder", data.exists ? `${data.folder}: ${sizeText(data.bytes)}` : `${data.folder}: has no data yet`],
    [
      "Tables",
      steps.length === 0
        ? "nothing to do"
        : `${stepText}, at the first start; about ${data.aboutSeconds} s longer than usual`,
    ],
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

const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
