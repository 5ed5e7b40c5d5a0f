import { operations } from "../../../src/contract/operations.ts";
import { quantile } from "../../harness/median.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { refusedMeanwhile, statusAbove } from "../../harness/while-floor-works.ts";
import { besideSockets } from "./beside-sockets.ts";

const megabyte = 1_000_000;
const count = 300;
const sentBytes = 7 * megabyte;
/** Longer than the adapter waits for a body of which nothing comes any more. */
const forMs = 30_000;

const head =
  `POST ${operations.attachWorkOrder.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${sentBytes + megabyte}\r\n\r\n`;

export const stalledBodies: Figure = {
  name: "stalled-bodies",
  chapter: "Limits",
  summary:
    "300 connections of ten addresses that each send 7 MB of an event of 8 MB and then nothing more, while 100 put-wall events and " +
    "50 GET /Status per second come for half a minute; against the ten seconds before. The memory is the most that the process " +
    "ever held, and how much more it holds than before ten seconds after all of them are closed, with the settings of the service unit.",
  measure: async (workshop) => {
    const from = Array.from({ length: 10 }, (_, nth) => `127.0.1.${nth + 1}`);
    const measured = await besideSockets(workshop, { count, from, head, bodyBytes: sentBytes, forMs });
    const { quiet, busy } = measured;
    return [
      {
        what: "Peak memory, 300 connections that stall after 7 MB",
        unit: "MB",
        ours: measured.peakMb,
        // What a process takes by itself, and what all bodies together may take by default.
        bar: { of: "figure", at: "most", limit: 512 },
      },
      {
        what: "Memory afterwards, above the one before",
        unit: "MB",
        ours: Math.max(0, measured.afterMb - measured.beforeMb),
        bar: { of: "figure", at: "most", limit: 50 },
      },
      refusedMeanwhile(busy),
      {
        what: "Event meanwhile, to the quiet one (p99)",
        unit: "ms",
        ours: quantile(busy.latenciesMs, 0.99),
        bare: quantile(quiet.latenciesMs, 0.99),
      },
      statusAbove(measured),
    ];
  },
};
