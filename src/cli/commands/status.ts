import type { DeploymentsStatus } from "../../app/deployments/deployments-status.ts";
import type { DeploymentStatus } from "../../app/replicated/deployment-status.ts";
import type { OwnerOfDeployment } from "../../replication/postgres/store-status.ts";
import { defineCommand } from "../command.ts";
import { type ShownTime, shownTimeIn, textTable } from "../describe/terminal-text.ts";
import { adapterOptions, refuseForeignFolder } from "../find-adapter.ts";

const timeoutMs = 5_000;

export const statusCommand = defineCommand({
  name: "status",
  summary: "show what runs here, who owns the deployment, and how safe its data is",
  details:
    "Asks the adapter on the data folder, if one runs, and the PostgreSQL of the configuration, if it has one. Changes nothing. " +
    "Of a configuration with several deployments, each has a line. " +
    "Ends with 1 if the adapter is in trouble or PostgreSQL cannot be used.",
  arguments: [],
  options: {
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    data: adapterOptions.data,
    json: { description: "for programs: everything as JSON" },
  },
  examples: [
    { command: "crossdock status", does: "shows the deployment of this folder" },
    { command: "crossdock status --json", does: "the same for a monitor" },
  ],
  run: async ({ options, terminal }) => {
    const [{ loadConfig }, { deploymentStatus }] = await Promise.all([
      import("../../config/load-config.ts"),
      import("../../app/replicated/deployment-status.ts"),
    ]);
    const { config, settings, source } = await loadConfig({
      file: options.config,
      options: { data: options.data },
      env: terminal.env,
      cwd: terminal.cwd,
    });
    const { dataFolder } = settings;
    refuseForeignFolder(dataFolder);
    const asked = { dataFolder, store: settings.store ?? config.store, timeoutMs };
    if (config.deployments !== undefined && source !== null) {
      const [{ deploymentsStatus }, { loadDeployments }, { keptApiKey }] = await Promise.all([
        import("../../app/deployments/deployments-status.ts"),
        import("../../app/deployments/load-deployments.ts"),
        import("../../app/api-key.ts"),
      ]);
      const { folder } = config.deployments;
      const { env, cwd } = terminal;
      const isShared = asked.store !== undefined;
      const loaded = await loadDeployments({ source, folder, dataFolder, env, cwd, isShared, withoutSecrets: true });
      const all = await deploymentsStatus({
        ...{ ...asked, names: loaded.map(({ name }) => name) },
        apiKey: settings.apiKey ?? keptApiKey(dataFolder),
      });
      terminal.print(options.json ? JSON.stringify(all, null, 2) : deploymentsText(all));
      return all.troubles.length === 0 && all.deployments.every(({ here }) => here?.failure == null) ? "ok" : "failed";
    }
    const status = await deploymentStatus({ ...asked, deployment: config.deployment });
    terminal.print(options.json ? JSON.stringify(status, null, 2) : statusText(status, shownTimeIn(config.timeZone)));
    return isWell(status) ? "ok" : "failed";
  },
});

/** A standby is healthy although it is never ready: a load balancer must send it no requests. */
function isWell({ adapter, store }: DeploymentStatus): boolean {
  const hasTrouble = adapter !== null && !adapter.ready && adapter.role !== "standby";
  return !hasTrouble && (store?.trouble ?? null) === null;
}

function statusText(status: DeploymentStatus, shown: ShownTime): string {
  const rows: string[][] = [
    ["Here", adapterText(status)],
    ["Data folder", folderText(status)],
  ];
  const { store, copy } = status;
  if (store === null) {
    rows.push(["Store", withoutStore(status)]);
  } else rows.push(["Store", store.address], ["Deployment", status.deployment], ...storeRows(store, shown));
  if (copy !== null) rows.push(["Copy here", copyText(copy)]);
  return textTable(rows);
}

/** A service often has the address in its own environment, which commands do not see. */
function withoutStore({ adapter, movedTo }: DeploymentStatus): string {
  const role = adapter?.role;
  if (role === "owner" || role === "standby")
    return "a PostgreSQL whose address this command does not have: set CROSSDOCK_STORE, or run it with the environment of the adapter";
  const moved = movedTo === null ? "" : `; its data was moved to ${movedTo}: set \`store\``;
  return `the data folder alone; no PostgreSQL is configured${moved}`;
}

function deploymentsText(status: DeploymentsStatus): string {
  const { dataFolder, process: running, store, troubles, deployments, withoutConfiguration } = status;
  const head = [
    ["Here", running === null ? "no process serves them" : `a process at ${running.url} (process ${running.pid})`],
    ["Data folder", dataFolder],
    ["Store", store ?? "the data folder alone; no PostgreSQL is configured"],
    ...troubles.map((trouble) => ["Trouble", trouble]),
  ];
  const lines = deployments.map(({ name, here, owner }) => [
    name,
    stateText(here, store !== null),
    here?.basePath ?? "",
    here?.failure ?? (owner === null ? "" : ownerAmongMany(owner, here?.isMovedByHand === true)),
  ]);
  const missing = withoutConfiguration.map(({ name, basePath, owner, ownerUrl }) => [
    ...[name, "no configuration here", basePath, `${owner} at ${ownerUrl}`],
  ]);
  const title = ["Deployment", "State", "Path", store === null ? "" : "Owner"];
  return `${textTable(head)}\n\n${textTable([title, ...lines, ...missing])}`;
}

/** What this process does for one of its deployments. */
function stateText(here: DeploymentsStatus["deployments"][number]["here"], isShared: boolean): string {
  if (here === null) return "not known";
  if (here.failure !== null) return "cannot be opened";
  if (!isShared || here.state !== "open") return here.state;
  return here.isOwner === true ? "open, owner" : "open, standby";
}

/** Unlike a single deployment, one of many may be without an owner for days: nobody uses it. */
function ownerAmongMany(owner: OwnerOfDeployment, isMovedByHand: boolean): string {
  if (owner.owner === null) return `nobody (epoch ${owner.epoch})`;
  return ownerText(owner) + (isMovedByHand ? "; moved by hand" : "");
}

function adapterText({ adapter, store }: DeploymentStatus): string {
  if (adapter === null) return "no adapter is running on this data folder";
  const { role, url, pid, reasons } = adapter;
  const what = role === "alone" ? "an adapter" : role === "unknown" ? "a process" : `the ${role}`;
  // The owner of the deployment is printed below.
  const shownReasons = reasons
    .filter((reason) => !(reason.startsWith("standby; ") && store?.trouble === null))
    // That it is one is said before.
    .map((reason) => reason.replace(/^standby: /, ""));
  return `${role === "standby" ? "a standby" : what} at ${url} (process ${pid})${shownReasons.map((reason) => `; ${reason}`).join("")}`;
}

function folderText({ dataFolder, files }: DeploymentStatus): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return files.length === 0 ? `${dataFolder} (empty)` : `${dataFolder}: ${sizeText(bytes)} in ${files.length} files`;
}

function storeRows(store: NonNullable<DeploymentStatus["store"]>, shown: ShownTime): string[][] {
  if (store.trouble !== null) return [["PostgreSQL", `${store.trouble}. Next: ${store.next}`]];
  const { deployment, unsafe, serverVersion, bytes } = store;
  const settings = unsafe.length === 0 ? "its settings keep what it confirmed" : unsafe.join("; ");
  const server = ["PostgreSQL", `version ${serverVersion}, ${sizeText(bytes)}; ${settings}`];
  if (deployment === null) return [server, ["Owner", "PostgreSQL does not know this deployment yet"]];
  const { log, snapshots, lastChangeAt, sideFiles, movedTo } = deployment;
  const kept =
    log.since === null
      ? "none"
      : `${log.changes === 1 ? "1 change" : `${log.changes} changes`} since ${shown(log.since)}`;
  const { last } = snapshots;
  return [
    server,
    ["Owner", movedTo === null ? ownerText(deployment) : `nobody: it was moved to ${movedTo}`],
    ["Last change", lastChangeAt === null ? "none" : `${deployment.changes} at ${shown(lastChangeAt)}`],
    ["History", `${kept}; ${sizeText(log.bytesSinceSnapshot)} since the last snapshot`],
    [
      "Snapshot",
      last === null
        ? "none yet"
        : `change ${last.change}, ${shown(last.at)} (${durationText(last.ageMs)} ago), ${sizeText(last.bytes)}; ${snapshots.kept} kept`,
    ],
    ...(sideFiles.length === 0
      ? []
      : [["Side files", sideFiles.map(({ name, changes }) => `${name} (${changes})`).join(", ")]]),
  ];
}

function ownerText({ owner, ownerUrl, leaseMs, epoch }: OwnerOfDeployment): string {
  if (owner === null || leaseMs === null) return `nobody (epoch ${epoch}); the next process that starts takes it`;
  const lease = leaseMs < 0 ? `its lease ended ${durationText(-leaseMs)} ago` : `lease for ${durationText(leaseMs)}`;
  return `${owner} at ${ownerUrl ?? "an address that is not known yet"}; ${lease}, epoch ${epoch}`;
}

function copyText({ change, behind, behindMs }: NonNullable<DeploymentStatus["copy"]>): string {
  if (behind === null) return `at change ${change}`;
  if (behind === 0) return `at change ${change}, complete`;
  return `at change ${change}, ${behind} changes and ${durationText(behindMs ?? 0)} behind`;
}

function sizeText(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${(ms / 3_600_000).toFixed(1)} h` : `${Math.round(ms / 86_400_000)} days`;
}
