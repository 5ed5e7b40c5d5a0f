import { totalmem } from "node:os";
import { ConfigError } from "../../config/document/config-error.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { systemNetwork } from "../../http-client/network/proxy-choice.ts";
import { watchServerClocks } from "../../http-client/network/server-clocks.ts";
import { hangUp, openClient } from "../../replication/postgres/open-client.ts";
import { servedTogether } from "../../replication/postgres/processes.ts";
import { clockAheadMs } from "../../replication/postgres/store-status.ts";
import { checkOneConnector } from "../../runtime/check/check-deployment.ts";
import { missingAmong, missingRemedy } from "../deployments/missing/missing-among.ts";
import { deploymentStatus } from "../replicated/deployment-status.ts";
import { examineAdapter } from "./examine-adapter.ts";
import { examineClock, type OtherClock } from "./examine-clock.ts";
import { examineFolder } from "./examine-folder.ts";
import { examineMachine, thisMachine } from "./examine-machine.ts";
import { examineAddress, examineOwnCertificate } from "./examine-network.ts";
import { externalAddresses } from "./external-addresses.ts";
import { type Finding, failure, fine, warning } from "./finding.ts";

const timeoutMs = 5_000;
/** More addresses would come from a list in a mapping, not from external systems. */
const mostAddresses = 50;

export interface DoctorNeeds {
  readonly load: (options?: { readonly withoutSecrets: true }) => Promise<LoadedConfig>;
  readonly now: () => number;
  /** The deployments of a configuration that has several. */
  readonly deploymentsOf?: (loaded: LoadedConfig) => Promise<readonly string[]>;
}

/** Examines everything that a start and a working day need. Changes nothing except one small file, which it removes. */
export async function runDoctor({ load, now, deploymentsOf }: DoctorNeeds): Promise<Finding[]> {
  const machine = examineMachine(thisMachine({ now: now(), totalBytes: totalmem() }));
  try {
    const loaded = await load();
    const found = [
      ...machine,
      fine("configuration", loaded.source ?? "none; all defaults"),
      ...(await examineHere(loaded, now())),
      ...(await examineOthers(loaded, now)),
      ...(await examineDeployments(loaded, deploymentsOf)),
    ];
    return found.map((one) => ({ ...one, text: loaded.redact(one.text) }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const wrong = error.problems.map(({ source, line, text, hint = "Correct it; crossdock check says more." }) =>
      failure("configuration", `${source}${line === undefined ? "" : `:${line}`}: ${text}`, hint),
    );
    // If only values are missing that another user or the service has, the machine can still be examined.
    const loaded = await load({ withoutSecrets: true }).catch(() => null);
    if (loaded === null) return [...machine, ...wrong];
    const remedy =
      'Run it with the environment of the adapter: see "When something is wrong" in docs/how-to/operate.md.';
    const left = warning("external systems", "not examined, because values of the configuration are missing", remedy);
    return [...machine, ...wrong, ...(await examineHere(loaded, now())), left];
  }
}

/** Examines the data folder, the adapter that runs here or could run, and its own certificate. */
async function examineHere(loaded: LoadedConfig, now: number): Promise<Finding[]> {
  const { config, settings } = loaded;
  const { tls } = config.platform;
  const knowsStore = (settings.store ?? config.store) !== undefined;
  return [
    ...examineFolder(settings.dataFolder),
    ...(await examineAdapter(settings, { timeoutMs, knowsStore })),
    ...(tls === undefined ? [] : [examineOwnCertificate(tls.cert, now)]),
  ];
}

/** Examines PostgreSQL and the external systems, and compares their clocks with the one of this machine. */
async function examineOthers(loaded: LoadedConfig, now: () => number): Promise<Finding[]> {
  const servers = watchServerClocks(now);
  try {
    const found = [...(await examineStore(loaded)), ...(await examineExternal(loaded, now()))];
    const clocks = [
      ...(await storeClock(loaded, now)),
      ...servers.seen().map(({ host, aheadMs }) => ({ of: host, aheadMs })),
    ];
    return [...found, ...examineClock(clocks)];
  } finally {
    servers.stop();
  }
}

/** The clock of PostgreSQL; none if it cannot be asked, which is a finding of its own. */
async function storeClock({ config, settings }: LoadedConfig, now: () => number): Promise<OtherClock[]> {
  const url = settings.store ?? config.store;
  if (url === undefined) return [];
  try {
    const client = await openClient({ url, name: "crossdock doctor", timeoutMs });
    try {
      return [{ of: "PostgreSQL", aheadMs: await clockAheadMs(client, now) }];
    } finally {
      await hangUp(client);
    }
  } catch {
    return [];
  }
}

/** Examines the way to every external system, and the systems themselves. */
async function examineExternal(loaded: LoadedConfig, now: number): Promise<Finding[]> {
  const { connectors, platform, alarms } = loaded.config;
  const addresses = externalAddresses([connectors, platform.forward, alarms]).slice(0, mostAddresses);
  const { environment } = systemNetwork;
  const found = (await Promise.all(addresses.map((one) => examineAddress(one, { now, environment })))).flat();
  for (const name of Object.keys(connectors)) found.push(await examineConnector(loaded, name));
  return found;
}

async function examineStore({ config, settings }: LoadedConfig): Promise<Finding[]> {
  const store = settings.store ?? config.store;
  if (store === undefined) return [];
  const { dataFolder } = settings;
  const { store: found } = await deploymentStatus({ dataFolder, deployment: config.deployment, store, timeoutMs });
  if (found === null) return [];
  if (found.trouble !== null) return [failure("PostgreSQL", found.trouble, found.next)];
  const { unsafe, serverVersion } = found;
  const remedy = "Correct these settings of the server: it would confirm what it can still lose.";
  return unsafe.length === 0
    ? [fine("PostgreSQL", `version ${serverVersion}; its settings keep what it confirmed`)]
    : unsafe.map((text) => failure("PostgreSQL", text, remedy));
}

/** Looks whether other processes serve deployments that this machine has no configuration of. */
async function examineDeployments(
  loaded: LoadedConfig,
  deploymentsOf: DoctorNeeds["deploymentsOf"],
): Promise<Finding[]> {
  const url = loaded.settings.store ?? loaded.config.store;
  if (url === undefined || loaded.config.deployments === undefined || deploymentsOf === undefined) return [];
  const names = await deploymentsOf(loaded);
  try {
    const client = await openClient({ url, name: "crossdock doctor", timeoutMs });
    try {
      const missing = missingAmong((name) => names.includes(name), await servedTogether(client));
      return missing.map(({ name, owner, ownerUrl }) =>
        warning(
          `deployment ${name}`,
          `${owner} at ${ownerUrl} serves it; there is no configuration here`,
          missingRemedy,
        ),
      );
    } finally {
      await hangUp(client);
    }
  } catch {
    // A finding of its own.
    return [];
  }
}

async function examineConnector(loaded: LoadedConfig, name: string): Promise<Finding> {
  const subject = `connector ${name}`;
  const checked = await checkOneConnector(loaded, { name, records: 0 });
  const errors = checked?.errors ?? [];
  return errors.length === 0
    ? fine(subject, "the external system answers")
    : failure(subject, errors.join("; "), "crossdock check shows the request and the answer.");
}
