import type { Figure } from "../../harness/report/measurement.ts";
import { refusedMeanwhile, statusAbove } from "../../harness/while-floor-works.ts";
import { besideSockets } from "./beside-sockets.ts";

const count = 1_000;
/** Longer than the adapter waits for the headers of a request. */
const forMs = 12_000;

export const oneAddress: Figure = {
  name: "one-address",
  chapter: "Limits",
  summary:
    "1,000 connections of one address that begin a request and never end its headers, while 100 put-wall events and 50 GET /Status " +
    "per second come from another address; against the ten seconds before.",
  measure: async (workshop) => {
    const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Part: ";
    const measured = await besideSockets(workshop, { count, from: ["127.0.1.1"], head, bodyBytes: 0, forMs });
    return [
      refusedMeanwhile(measured.busy, "Events refused beside 1,000 connections of another address"),
      statusAbove(measured),
      {
        what: "Headers that do not come, closed after at most",
        unit: "ms",
        ours: Math.max(...measured.closedAfterMs.map((ms) => ms ?? Infinity)),
        bar: { of: "figure", at: "most", limit: 10_500 },
      },
    ];
  },
};
