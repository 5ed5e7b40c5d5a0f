import { hash } from "node:crypto";
import type { Config } from "../../config/config-schema.ts";
import { embeddedOptionsOf } from "../../runtime/open-base.ts";
import { versionInfo } from "../version-info.ts";

/** Sections that may differ between the processes of a deployment, because they are about one machine. */
const ofMachine: ReadonlySet<string> = new Set(["store", "deployment", "deployments", "hosts", "logLevel", "logging"]);
const printLength = 16;

/**
 * What a standby compares with the owner's configuration: the values that decide what is stored, and a print of each
 * other section. After a takeover, events would otherwise go to another ERP without anybody knowing why. Secrets are
 * masked before, because everybody who may read that PostgreSQL can read the prints. Other programs have other sections
 * and defaults, so the version stands beside them.
 */
export function comparedSettings(
  config: Config,
  redact: (text: string) => string = (text) => text,
): Readonly<Record<string, unknown>> {
  const stored: Readonly<Record<string, unknown>> = embeddedOptionsOf(config);
  const { tls: _files, ...platform } = config.platform;
  const prints = Object.entries({ ...config, platform })
    .filter(([name, section]) => section !== undefined && !ofMachine.has(name) && !(name in stored))
    .map(([name, section]) => [name, hash("sha256", redact(JSON.stringify(section))).slice(0, printLength)]);
  return { program: versionInfo().version, ...stored, ...Object.fromEntries(prints) };
}
