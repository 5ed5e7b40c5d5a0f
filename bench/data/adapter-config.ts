import { exportColumns } from "./export-rows.ts";

/** Longer than any store is kept for the next run, so that deleting old entries is not measured. */
const retention = { bodiesDays: 36_500, entriesDays: 36_500 };

/** The configuration of every measured adapter. */
export const adapterConfig = (eventsTo: string | undefined): object => ({
  exportColumns,
  retention,
  ...(eventsTo === undefined
    ? {}
    : { connectors: { receiver: { type: "webhook", url: eventsTo } }, events: { to: "receiver" } }),
});
