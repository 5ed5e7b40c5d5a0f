import { type TProperties, Type } from "typebox";

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

export const closed = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { description, additionalProperties: false });
export const filled = (description: string, more: { relativeTo?: "configuration" } = {}) =>
  Type.String({ description, minLength: 1, ...more });
export const whole = (description: string, fallback: number, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ description, default: fallback, minimum, maximum }));
export const columns = (description: string) =>
  Type.Unsafe<string | readonly string[]>({ type: ["string", "array"], items: { type: "string" }, description });
