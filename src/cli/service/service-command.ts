import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommandFailure, type CommandGroup, defineCommand, type Terminal } from "../command.ts";
import { hasService, type ServicePlan, servicePlan, usualPlaces } from "./service-plan.ts";

const options = {
  config: { value: "FILE", description: "configuration file of the service (else the usual place of this system)" },
  data: { value: "FOLDER", description: "its data folder (else the usual place of this system)" },
  dryRun: { description: "show what would be written and run, and do nothing" },
} as const;

interface Given {
  readonly config: string | undefined;
  readonly data: string | undefined;
}

export const serviceCommands: CommandGroup = {
  name: "service",
  summary: "run the adapter as a service of this machine",
  details: "A unit of systemd on Linux, a daemon of launchd on macOS, a task that starts with the machine on Windows.",
  commands: [
    defineCommand({
      name: "install",
      summary: "install and start the service",
      details:
        "Needs the rights of an administrator. Run it again after an upgrade; configuration and data stay as they are.",
      arguments: [],
      options,
      examples: [
        { command: "sudo crossdock service install", does: "installs the service and starts it" },
        { command: "crossdock service install --dry-run", does: "shows every file and command before" },
      ],
      run: async ({ options: given, terminal }) => {
        const plan = await planHere(given, terminal);
        // Also of a dry run, which would show what is then refused.
        refuseHidden(plan);
        if (given.dryRun) terminal.print(planText(plan));
        else apply(plan, terminal);
        return "ok";
      },
    }),
    defineCommand({
      name: "uninstall",
      summary: "stop the service and take it away; configuration and data stay",
      arguments: [],
      options: { dryRun: options.dryRun },
      examples: [{ command: "sudo crossdock service uninstall", does: "stops the service and removes it" }],
      run: async ({ options: given, terminal }) => {
        const { removal } = await planHere({ config: undefined, data: undefined }, terminal);
        if (given.dryRun) terminal.print(removal.map((one) => one.join(" ")).join("\n"));
        else {
          for (const command of removal) runNow(command);
          terminal.print("The service is removed. Its configuration and its data are kept.");
        }
        return "ok";
      },
    }),
  ],
};

async function planHere({ config, data }: Given, { cwd }: Terminal): Promise<ServicePlan> {
  const { packageFile } = await import("../../app/version-info.ts");
  const { platform } = process;
  if (!hasService(platform)) {
    throw new CommandFailure(`there is no service for ${platform}`, {
      next: "start `crossdock start` by what starts programs there",
    });
  }
  const program = dirname(packageFile(import.meta.dirname));
  return servicePlan({
    ...{ platform, program, node: process.execPath },
    config: config === undefined ? usualPlaces[platform].config : resolve(cwd, config),
    dataFolder: data === undefined ? usualPlaces[platform].dataFolder : resolve(cwd, data),
    unit: readFileSync(join(program, "deploy/systemd/crossdock.service"), "utf8"),
  });
}

function refuseHidden({ hidden }: ServicePlan): void {
  if (hidden === null) return;
  throw new CommandFailure(`the service may not look into home and temporary folders, and ${hidden.path} is in one`, {
    next: hidden.instead,
  });
}

function apply({ before, folders, files, ending, after, statusCommand }: ServicePlan, terminal: Terminal): void {
  // Without this, the first command that needs the rights would fail with a message of its own.
  if ((process.getuid?.() ?? 0) !== 0) throw notPermitted("it needs the rights of root");
  try {
    for (const command of before) runNow(command);
    for (const { path, mode, owner } of folders) {
      mkdirSync(path, { recursive: true, mode });
      if (owner !== undefined) runNow(["chown", `${owner}:`, path]);
    }
    for (const { path, text, encoding, isKept } of files) {
      if (isKept !== true || !existsSync(path)) writeFileSync(path, text, encoding ?? "utf8");
    }
    for (const command of ending) runIfPossible(command);
    for (const command of after) runNow(command);
  } catch (error) {
    const isRefused = error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
    if (!isRefused) throw error;
    throw notPermitted(error.message);
  }
  terminal.print(`The service is installed and started.\nNext: ${statusCommand}`);
}

const notPermitted = (reason: string) =>
  new CommandFailure(`this user may not install a service: ${reason}`, {
    next: "run it with sudo, or as administrator; --dry-run shows what it would do",
  });

function runNow([program = "", ...args]: readonly string[]): void {
  try {
    execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    const errorText = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new CommandFailure(`${[program, ...args].join(" ")} failed${errorText === "" ? "" : `: ${errorText}`}`, {
      next: "correct that and run the command again; it can be repeated",
    });
  }
}

function runIfPossible(command: readonly string[]): void {
  try {
    runNow(command);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
  }
}

function planText({ before, folders, files, ending, after }: ServicePlan): string {
  return [
    ...before.map((one) => `run    ${one.join(" ")}`),
    ...folders.map(({ path }) => `folder ${path}`),
    ...files.map(
      ({ path, text, isKept }) =>
        `file   ${path}${isKept === true ? " (only if it is missing)" : ""}\n${text.replace("\ufeff", "").replaceAll(/^(?=.)/gm, "       ")}`,
    ),
    ...ending.map((one) => `run    ${one.join(" ")} (ends an earlier one; fails if there is none)`),
    ...after.map((one) => `run    ${one.join(" ")}`),
  ].join("\n");
}
