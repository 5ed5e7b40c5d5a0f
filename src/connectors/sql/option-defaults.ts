export const optionDefaults = {
  poolSize: 4,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  maxRows: 1_000_000,
  idempotency: "table",
  deliveredTable: "crossdock_delivered",
  createDeliveredTable: false,
  entryColumn: "entry_id",
  everySeconds: 60,
  overlapSeconds: 300,
  lines: "lines",
} as const;

export const defaultPorts = { postgres: 5432, mysql: 3306, sqlserver: 1433, sqlite: 0 } as const;
