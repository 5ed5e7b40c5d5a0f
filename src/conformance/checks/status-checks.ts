import type { Check } from "../check.ts";
import { statusOf } from "../exchange.ts";
import { sentences } from "../sentences.ts";

export const statusChecks: readonly Check[] = [
  {
    id: "getStatus.no-envelope",
    group: "getStatus",
    title: "the version is given without an envelope",
    level: "read-only",
    basis: sentences.status,
    hint: "version, title and buildDateTime stand at the top of the object.",
    run: async ({ call, complain }) => {
      const exchange = await call("getStatus");
      const { answer } = exchange;
      if (statusOf(exchange) !== 200 || answer === null) complain(exchange, "a JSON object");
      else if ("isResultSuccess" in answer || "data" in answer) complain(exchange, "no envelope");
      else {
        const absent = ["version", "title", "buildDateTime"].filter((name) => !(name in answer));
        if (absent.length > 0) complain(exchange, absent.join(", "));
      }
    },
  },
  {
    id: "getStatus.version",
    group: "getStatus",
    title: "the version is Major.Minor.Patch",
    level: "read-only",
    basis: sentences.version,
    hint: "Cut build numbers and suffixes: 2.4.1, not v2.4.1-rc3+build.17.",
    run: async ({ call, complain, skip }) => {
      const exchange = await call("getStatus");
      const version = exchange.answer?.["version"];
      if (version === null || version === undefined) skip("it tells no version");
      if (typeof version !== "string" || !/^\d+\.\d+\.\d+$/.test(version)) complain(exchange, "Major.Minor.Patch");
    },
  },
];
