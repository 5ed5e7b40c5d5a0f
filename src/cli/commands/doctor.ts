import { styleText } from "node:util";
import type { Finding } from "../../app/doctor/finding.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { defineCommand } from "../command.ts";
import { adapterOptions } from "../find-adapter.ts";

export const doctorCommand = defineCommand({
  name: "doctor",
  summary: "look for what is wrong on this machine, with a remedy for each finding",
  details:
    "Looks at Node, memory, clock, configuration, data folder and its disk, port, certificates, PostgreSQL, host names and every " +
    "external system. Run it as the adapter's user, whether the adapter runs or not. It changes nothing. Ends with 1 if there is an error.",
  arguments: [],
  options: {
    config: { value: "FILE", description: "configuration file (else CROSSDOCK_CONFIG, else crossdock.yaml)" },
    data: adapterOptions.data,
    json: { description: "for programs: all findings as JSON" },
  },
  examples: [
    { command: "crossdock doctor", does: "looks at everything that the adapter of this folder needs" },
    {
      command: "sudo -u crossdock crossdock doctor --config /etc/crossdock/crossdock.yaml --data /var/lib/crossdock",
      does: "the same for the service",
    },
  ],
  run: async ({ options, terminal }) => {
    const [{ loadConfig }, { loadDeployments }, { runDoctor }] = await Promise.all([
      import("../../config/load-config.ts"),
      import("../../app/deployments/load-deployments.ts"),
      import("../../app/doctor/run-doctor.ts"),
    ]);
    const { env, cwd, colour } = terminal;
    const load = (how: { withoutSecrets?: boolean } = {}) =>
      loadConfig({ file: options.config, options: { data: options.data }, env, cwd, ...how });
    const deploymentsOf = async ({ config: { deployments }, source, settings: { dataFolder } }: LoadedConfig) => {
      if (deployments === undefined || source === null) return [];
      const { folder } = deployments;
      const all = await loadDeployments({ source, folder, dataFolder, env, cwd, isShared: true, withoutSecrets: true });
      return all.map(({ name }) => name);
    };
    const findings = await runDoctor({ load, now: Date.now, deploymentsOf });
    terminal.print(options.json ? JSON.stringify(findings, null, 2) : findingsText(findings, colour));
    return findings.some(({ state }) => state === "error") ? "failed" : "ok";
  },
});

const marks = { ok: ["✓", "green"], warning: ["!", "yellow"], error: ["✗", "red"] } as const;

/** Writes each finding on its own line, and what to do about it on the next line. */
function findingsText(findings: readonly Finding[], colour: boolean): string {
  const lines = findings.flatMap(({ subject, state, text, remedy }) => {
    const [mark, style] = marks[state];
    const painted = colour ? styleText(style, mark, { validateStream: false }) : mark;
    return [`${painted} ${subject}: ${text}`, ...(remedy === undefined ? [] : [`    ${remedy}`])];
  });
  const count = (state: Finding["state"]) => {
    const number = findings.filter((one) => one.state === state).length;
    return `${number} ${state}${number === 1 ? "" : "s"}`;
  };
  return [...lines, "", `${count("error")}, ${count("warning")}`].join("\n");
}
