import { startAdapter, startStringifyList } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { listStore } from "../sizes.ts";
import { largeAnswer } from "./large-answer.ts";

export const list: Figure = {
  name: "list",
  chapter: "Answers",
  summary:
    "GET /WorkOrders with 10,000 orders of 10 lines, from request to last byte read, against one JSON.stringify of the " +
    "same data; and GET /Status at 50 per second while such lists are read one after another.",
  measure: async (workshop) => {
    const adapter = await startAdapter(await workshop.store(listStore));
    return await largeAnswer({
      what: "List of 10,000 orders",
      job: { kind: "list", url: adapter.url },
      limit: 1.2,
      adapter,
      bare: await startStringifyList(listStore),
    });
  },
};
