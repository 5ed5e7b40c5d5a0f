import { posix, win32 } from "node:path";

/** The places and files that a service needs. */
export interface ServicePlace {
  readonly platform: "linux" | "darwin" | "win32";
  /** The Node executable that runs this program. */
  readonly node: string;
  /** The folder with `bin/crossdock.js`. */
  readonly program: string;
  readonly config: string;
  readonly dataFolder: string;
  /** Text of the service unit that comes with the program. */
  readonly unit: string;
}

interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** Absent: UTF-8. */
  readonly encoding?: "utf16le";
  /** Whether it is written only if it is missing. */
  readonly isKept?: boolean;
}

/** Everything that an installation writes and runs, so that it can be shown first. */
export interface ServicePlan {
  readonly folders: readonly { readonly path: string; readonly mode: number; readonly owner?: string }[];
  readonly files: readonly ServiceFile[];
  readonly before: readonly (readonly string[])[];
  /** Ends a service that was installed earlier, so that the new version is started. Fails if there is none. */
  readonly ending: readonly (readonly string[])[];
  /** A path that the service could not see, and which places it sees; null if it sees all of them. */
  readonly hidden: { readonly path: string; readonly instead: string } | null;
  readonly after: readonly (readonly string[])[];
  /** The commands that remove the service again. Data and configuration stay. */
  readonly removal: readonly (readonly string[])[];
  /** The command that shows the state of the service. */
  readonly statusCommand: string;
}

/** Where a service keeps its configuration and its data unless told otherwise. */
export const usualPlaces = {
  linux: { config: "/etc/crossdock/crossdock.yaml", dataFolder: "/var/lib/crossdock" },
  darwin: { config: "/usr/local/etc/crossdock/crossdock.yaml", dataFolder: "/usr/local/var/crossdock" },
  win32: { config: "C:\\ProgramData\\Crossdock\\crossdock.yaml", dataFolder: "C:\\ProgramData\\Crossdock\\data" },
} as const;

/** Whether there is a service for this platform. */
export const hasService = (platform: string): platform is ServicePlace["platform"] =>
  Object.hasOwn(usualPlaces, platform);

/** The service of this platform: a systemd unit, a launchd daemon, or a Windows task that starts with the machine. */
export function servicePlan(place: ServicePlace): ServicePlan {
  const plans = { linux: systemdPlan, darwin: launchdPlan, win32: windowsPlan };
  return plans[place.platform](place);
}

/** The text of a new configuration file, for a program in that folder. */
export const emptyConfigText = (program: string) =>
  `# Every setting has a default: ${program}/docs/reference/configuration.md\n`;

/** The service names its configuration file, so the file has to exist. */
const emptyConfig = ({ config, program }: ServicePlace) => ({
  ...{ path: config, isKept: true },
  text: emptyConfigText(program),
});
const user = "crossdock";
/** `ProtectHome` and `PrivateTmp` of the unit hide these. */
const hiddenBySystemd = /^\/(home|root|run\/user|tmp|var\/tmp)\//;
/** The folders of people and their temporary files, which Local Service may not read. */
const hiddenOnWindows = /^[a-z]:[\\/]users[\\/](?!public[\\/])/i;

function hiddenAmong({ program, node, config, dataFolder }: ServicePlace, hidden: RegExp, instead: string) {
  const path = [program, node, config, dataFolder].find((one) => hidden.test(one));
  return path === undefined ? null : { path, instead };
}
const memoryFlag = "--max-semi-space-size=16";

function systemdPlan(place: ServicePlace): ServicePlan {
  const { node, program, config, dataFolder, unit } = place;
  const path = "/etc/systemd/system/crossdock.service";
  // systemd reads a percent sign as the start of one of its own variables, and a space as the end of a word.
  const safe = (text: string) => text.replaceAll("%", "%%").replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  const isUsual = dataFolder === "/var/lib/crossdock";
  const text = unit
    .replace(/^WorkingDirectory=.*$/m, () => `WorkingDirectory=${safe(program)}`)
    .replace(/^ExecStart=.*$/m, () => `ExecStart="${safe(node)}" ${memoryFlag} bin/crossdock.js start`)
    .replace(/^Environment=CROSSDOCK_CONFIG=.*$/m, () => `Environment="CROSSDOCK_CONFIG=${safe(config)}"`)
    .replace(/^Environment=CROSSDOCK_DATA_DIR=.*$/m, () => `Environment="CROSSDOCK_DATA_DIR=${safe(dataFolder)}"`)
    .replace(/^StateDirectory=crossdock\n/m, () =>
      isUsual ? "StateDirectory=crossdock\n" : `ReadWritePaths="${safe(dataFolder)}"\n`,
    );
  return {
    hidden: hiddenAmong(
      place,
      hiddenBySystemd,
      "unpack or install Crossdock in /opt, and keep its configuration in /etc and its data in /var/lib",
    ),
    ending: [],
    before: [
      [
        "sh",
        "-c",
        `getent passwd ${user} > /dev/null || useradd --system --home-dir / --shell /usr/sbin/nologin ${user}`,
      ],
    ],
    folders: [
      { path: dataFolder, mode: 0o700, owner: user },
      { path: posix.dirname(config), mode: 0o755 },
    ],
    files: [{ path, text }, emptyConfig(place)],
    after: [
      ["systemctl", "daemon-reload"],
      ["systemctl", "enable", "crossdock"],
      // Also if an earlier version runs.
      ["systemctl", "restart", "crossdock"],
    ],
    removal: [
      ["systemctl", "disable", "--now", "crossdock"],
      ["rm", "-f", path],
      ["systemctl", "daemon-reload"],
    ],
    statusCommand: "systemctl status crossdock",
  };
}

const xml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function launchdPlan(place: ServicePlace): ServicePlan {
  const { node, program, config, dataFolder } = place;
  const name = "com.github.crossdock";
  const path = `/Library/LaunchDaemons/${name}.plist`;
  const texts = [node, memoryFlag, `${program}/bin/crossdock.js`, "start"].map(
    (one) => `    <string>${xml(one)}</string>`,
  );
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${name}</string>
  <key>ProgramArguments</key>
  <array>
${texts.join("\n")}
  </array>
  <key>WorkingDirectory</key><string>${xml(program)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>CROSSDOCK_CONFIG</key><string>${xml(config)}</string>
    <key>CROSSDOCK_DATA_DIR</key><string>${xml(dataFolder)}</string>
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ExitTimeOut</key><integer>15</integer>
  <key>StandardErrorPath</key><string>/var/log/crossdock.log</string>
  <key>StandardOutPath</key><string>/var/log/crossdock.log</string>
</dict>
</plist>
`;
  return {
    ...{ hidden: null, before: [], ending: [["launchctl", "bootout", `system/${name}`]] },
    folders: [
      { path: dataFolder, mode: 0o700 },
      { path: posix.dirname(config), mode: 0o755 },
    ],
    files: [{ path, text }, emptyConfig(place)],
    after: [["launchctl", "bootstrap", "system", path]],
    removal: [
      ["launchctl", "bootout", `system/${name}`],
      ["rm", "-f", path],
    ],
    statusCommand: `launchctl print system/${name}`,
  };
}

/** The task runs only once at a time, so a trigger every minute starts it again after any end, and only then. */
const everyMinute =
  "<Repetition><Interval>PT1M</Interval><StopAtDurationEnd>false</StopAtDurationEnd></Repetition><Enabled>true</Enabled>";

/**
 * The task runs as Local Service, which has to write to the data folder. Besides it only the system and administrators
 * may look into it: it holds the key, and by default every user of the machine may read what is in ProgramData.
 */
const onWindowsOnly = ["*S-1-5-19:(OI)(CI)M", "*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F"];

function windowsPlan(place: ServicePlace): ServicePlan {
  const { node, program, config, dataFolder } = place;
  const path = `${dataFolder}\\crossdock-task.xml`;
  // A task has no environment of its own, so a small command sets it.
  const command = `/d /c "set "CROSSDOCK_CONFIG=${config}" && set "CROSSDOCK_DATA_DIR=${dataFolder}" && "${node}" ${memoryFlag} "${program}\\bin\\crossdock.js" start >> "${dataFolder}\\crossdock.log" 2>&1"`;
  // As Windows writes such files itself.
  const text = `\ufeff<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.4" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Crossdock warehouse adapter</Description></RegistrationInfo>
  <Triggers>
    <RegistrationTrigger>${everyMinute}</RegistrationTrigger>
    <BootTrigger>${everyMinute}</BootTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author"><UserId>S-1-5-19</UserId><RunLevel>LeastPrivilege</RunLevel></Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>5</Priority>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>cmd.exe</Command>
      <Arguments>${xml(command)}</Arguments>
      <WorkingDirectory>${xml(program)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
  return {
    ...{ before: [], ending: [["schtasks", "/End", "/TN", "Crossdock"]] },
    hidden: hiddenAmong(
      place,
      hiddenOnWindows,
      "unpack or install Crossdock in C:\\Program Files, and keep its configuration and data in C:\\ProgramData",
    ),
    folders: [
      { path: dataFolder, mode: 0o700 },
      { path: win32.dirname(config), mode: 0o755 },
    ],
    files: [{ path, text, encoding: "utf16le" }, emptyConfig(place)],
    after: [
      ["icacls", dataFolder, "/inheritance:r", "/grant:r", ...onWindowsOnly],
      ["schtasks", "/Create", "/F", "/TN", "Crossdock", "/XML", path],
      ["schtasks", "/Run", "/TN", "Crossdock"],
    ],
    removal: [
      ["schtasks", "/End", "/TN", "Crossdock"],
      ["schtasks", "/Delete", "/F", "/TN", "Crossdock"],
    ],
    statusCommand: "schtasks /Query /TN Crossdock /V /FO LIST",
  };
}
