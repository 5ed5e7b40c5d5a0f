import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ConfigProblem } from "./document/config-error.ts";
import { givenSocket } from "./given-socket.ts";

/** Settings from the environment: they say where this instance runs, not how it behaves. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  /** The file descriptor of a socket that the service manager opened. It is used instead of opening one. */
  readonly socketFd?: number;
  /** Absolute path. */
  readonly dataFolder: string;
  /** Absent: the key in the data folder is used, which is generated on the first start. */
  readonly apiKey?: string;
  /** Whether the sample warehouse is loaded on the first start. */
  readonly sample: boolean;
  /** Address of the PostgreSQL database that stores every event. Absent: the one in the configuration, if any. */
  readonly store?: string;
  /** The address at which other processes of the deployment reach this one. Absent: the address it listens on. */
  readonly advertise?: string;
  /** The variables of OpenTelemetry; absent if none of them enables anything. */
  readonly telemetry?: Environment;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const telemetryVariables = [
  ...["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"],
  ...["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"],
];

/** The variables are only collected here. The part that reads them is loaded only if one of them enables something. */
function telemetryIn(env: Environment): Pick<Settings, "telemetry"> {
  const isAsked = telemetryVariables.some((name) => !["", "none"].includes(env[name]?.trim() ?? ""));
  if (!isAsked || env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return {};
  return { telemetry: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("OTEL_"))) };
}

/** The settings and all problems with them. An empty variable counts as not set. */
export function settings({ env, cwd, hasConfigFile }: { env: Environment; cwd: string; hasConfigFile: boolean }): {
  settings: Settings;
  problems: ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  const variable = (name: string) => env[name]?.trim() || undefined;
  const object = (source: string, text: string, hint: string) => problems.push({ source, text, hint });

  const port = variable("PORT") ?? "8080";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    object(
      "PORT",
      `${JSON.stringify(port)} is not a port`,
      "A number from 0 to 65535, such as 8080; 0 chooses a free port.",
    );
  }
  const host = variable("HOST") ?? "127.0.0.1";
  if (/[\s/]/.test(host)) {
    object(
      "HOST",
      `${JSON.stringify(host)} is not an address`,
      "127.0.0.1 for this machine only, 0.0.0.0 for all networks.",
    );
  }
  /** The value of the variable, or the content of the file that the variable with `_FILE` at its end names. */
  const secret = (name: string): string | undefined => {
    const file = variable(`${name}_FILE`);
    const given = variable(name);
    if (file === undefined) return given;
    if (given !== undefined) object(name, `${name} and ${name}_FILE are both set`, "Keep one of them.");
    try {
      const content = readFileSync(resolve(cwd, file), "utf8").trim();
      if (content === "") object(`${name}_FILE`, "the file is empty", "Write the value into it.");
      return content || undefined;
    } catch (error) {
      object(
        `${name}_FILE`,
        `the file cannot be read: ${(error as Error).message}`,
        "Write the path of a readable file.",
      );
      return undefined;
    }
  };
  const apiKey = secret("CROSSDOCK_API_KEY");
  // The key is sent in a header. The message must not show it: start-up errors end up in logs.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    object(
      "CROSSDOCK_API_KEY",
      "the key has characters that are not allowed in a header",
      "Letters, digits and punctuation only.",
    );
  }
  const store = secret("CROSSDOCK_STORE");
  // The message must not show the address, which contains a password.
  if (store !== undefined && !/^postgres(ql)?:\/\/[^\s]+$/.test(store)) {
    object(
      "CROSSDOCK_STORE",
      "this is not the address of a PostgreSQL",
      "postgres://user:password@host/database, or leave it out to store everything in the data folder.",
    );
  }
  const advertise = variable("CROSSDOCK_ADVERTISE");
  if (advertise !== undefined && !/^(https?:\/\/)?(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?\/?$/.test(advertise)) {
    object(
      "CROSSDOCK_ADVERTISE",
      `${JSON.stringify(advertise)} is not an address that other processes can call`,
      "A host name or an IP address, with a port if another one leads here: north-1.example.com or 10.0.0.1:8080.",
    );
  }
  const sample = variable("CROSSDOCK_SAMPLE")?.toLowerCase() ?? String(!hasConfigFile);
  if (sample !== "true" && sample !== "false") {
    object("CROSSDOCK_SAMPLE", `${JSON.stringify(sample)} is neither true nor false`, "Write true or false.");
  }
  const socket = givenSocket(env);
  if (socket !== null && "text" in socket) problems.push(socket);
  const given = socket !== null && "fd" in socket ? socket : null;
  return {
    settings: {
      port: given?.port ?? Number(port),
      host: given?.host ?? host,
      ...(given === null ? {} : { socketFd: given.fd }),
      dataFolder: resolve(cwd, variable("CROSSDOCK_DATA_DIR") ?? "data"),
      ...(apiKey === undefined ? {} : { apiKey }),
      sample: sample === "true",
      ...(store === undefined ? {} : { store }),
      ...(advertise === undefined ? {} : { advertise }),
      ...telemetryIn(env),
    },
    problems,
  };
}
