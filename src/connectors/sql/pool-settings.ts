import { Fault } from "../../sdk/fault.ts";
import type { PoolSettings, TlsSettings } from "./drivers/database.ts";
import { defaultPorts, optionDefaults } from "./option-defaults.ts";
import type { SqlOptions } from "./options.ts";
import type { DriverName } from "./statement/dialect.ts";

/** Where to connect to, from single options or from an address; what is given singly wins. */
export function poolSettings(options: SqlOptions): PoolSettings {
  const address: Partial<Address> = options.url === undefined ? {} : partsOf(options.url, options.driver);
  const login = {
    user: options.user ?? address.user ?? "",
    password: options.password ?? address.password ?? "",
  };
  const { readUser, readPassword = "" } = options;
  const settings = {
    host: options.host ?? address.host ?? "",
    port: options.port ?? address.port ?? defaultPorts[options.driver],
    database: options.database ?? address.database ?? "",
    login,
    readLogin: readUser === undefined ? login : { user: readUser, password: readPassword },
    tls: tlsOf(options.tls),
    file: options.file ?? "",
    poolSize: options.poolSize ?? optionDefaults.poolSize,
    connectTimeoutMs: options.connectTimeoutMs ?? optionDefaults.connectTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs ?? optionDefaults.statementTimeoutMs,
  };
  if (options.driver === "sqlite") {
    if (settings.file === "") throw new Fault("invalid", "file: say which file holds the database");
  } else if (settings.host === "" || settings.database === "") {
    throw new Fault("invalid", "host and database: say where the database is, or give a url");
  }
  return settings;
}

const schemes: Record<DriverName, readonly string[]> = {
  postgres: ["postgres:", "postgresql:"],
  mysql: ["mysql:", "mariadb:"],
  sqlserver: ["sqlserver:", "mssql:"],
  sqlite: [],
};

interface Address {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

function partsOf(text: string, driver: DriverName): Address {
  // The text holds a password: it is never part of a message.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !schemes[driver].includes(url.protocol)) {
    const form =
      driver === "sqlite" ? "sqlite takes a file, no url" : `${schemes[driver][0]}//user:password@host/database`;
    throw new Fault("invalid", `url: expected ${form}`);
  }
  if (url.search !== "")
    throw new Fault("invalid", "url: settings behind ? are not read; use the options, such as tls");
  const given = (part: string) => (part === "" ? undefined : decodeURIComponent(part));
  return {
    host: given(url.hostname.replace(/^\[|\]$/g, "")),
    port: url.port === "" ? undefined : Number(url.port),
    database: given(url.pathname.slice(1)),
    user: given(url.username),
    password: given(url.password),
  };
}

function tlsOf(tls: SqlOptions["tls"]): TlsSettings | false {
  if (tls === undefined || tls === false) return false;
  return tls === true ? { verify: true } : { ...tls, verify: tls.verify ?? true };
}
