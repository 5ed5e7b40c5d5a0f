import { readFileSync } from "node:fs";
import { maxHeaderSize } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limits } from "../../src/contract/limits.ts";
import { defaultOutboxSettings } from "../../src/engine/delivery/outbox.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/how-to/operate.md"), "utf8");
const section = page.split("\n## ").find((one) => one.startsWith("Limits\n")) ?? "";

const MiB = 2 ** 20;
const KiB = 2 ** 10;
const second = 1000;

/** A value in the sources, its unit, and the words of the table that state it. */
const stated: readonly (readonly [file: string, name: string, unit: number, words: (value: string) => string])[] = [
  ["src/config/config-schema.ts", "bodyLimitMiB", 1, (n) => `${n} MiB; above: 413`],
  ["src/contract/limits.ts", "smallBodyMiB", 1, (n) => `${n} MiB, or \`bodyLimitMiB\` if that is less`],
  ["src/server/connection/body-budget.ts", "freeBytes", KiB, (n) => `the first ${n} KiB of each`],
  ["src/server/connection/body-budget.ts", "stillMs", second, (n) => `(at least ${n} s) is closed`],
  ["src/server/connection/body-budget.ts", "longestStillMs", second, (n) => `closed after ${n} to 25 s`],
  ["src/server/server.ts", "maxMs", second, (n) => `read and discarded for up to ${n} s`],
  ["src/server/server.ts", "maxBytes", MiB, (n) => `${n} MiB, so that a client`],
  ["src/server/create-listener.ts", "mostInAll", 1, (n) => `| Connections | ${n}, of one address`],
  ["src/server/create-listener.ts", "mostPerAddress", 1, (n) => `of one address ${n}.`],
  ["src/server/create-listener.ts", "requestTimeout", second, (n) => `| Any request | complete within ${n} s`],
  ["src/server/create-listener.ts", "keepAliveTimeout", second, (n) => `| Idle connection | ${n} s`],
  ["src/server/create-listener.ts", "backlog", 1, (n) => `| Connections that wait to be accepted | ${n} |`],
  ["src/store/queries/change-notices.ts", "mostLines", 1, (n) => `Scans of changed orders above ${n} lines`],
  ["src/store/queries/change-notices.ts", "mostBytes", KiB, (n) => `lines or ${n} KiB, waiting`],
  ["src/store/queries/change-notices.ts", "mostWaiting", 1, (n) => `waiting | ${n}, read one at a time`],
  ["src/store/ledger/match/lines-left.ts", "mostCompared", 1, (n) => `| ${n} that differ, and ${n} more of its amount`],
  ["src/server/admin/live-routes.ts", "mostStreams", 1, (n) => `that follow changes | ${n} |`],
  ["src/server/console/sessions.ts", "mostSessions", 1, (n) => `| Sessions of the console | ${n};`],
  ["src/server/admin/session-routes.ts", "bodyLimitBytes", KiB, (n) => `${n} KiB to sign in`],
  ["src/server/workshop/config-routes.ts", "bodyLimitBytes", KiB, (n) => `${n} KiB and 100 changes for a change`],
  [
    "src/server/workshop/config-routes.ts",
    "mostChanges",
    1,
    (n) => `KiB and ${n} changes for a change of the configuration`,
  ],
  ["src/server/admin/admin-exchange.ts", "decisionLimitBytes", KiB, (n) => `${n} KiB for any other decision`],
  ["src/large-bodies/edits/edit-thread.ts", "largeBytes", KiB, (n) => `| Edited bodies above ${n} KiB |`],
  ["src/server/contract/read-input.ts", "longIdsLength", KiB, (n) => `and above ${n} KiB if a number has`],
  ["src/server/workshop/import-routes.ts", "bodyLimitBytes", MiB, (n) => `${n} MiB for a file to look at`],
  ["src/server/auth/failure-delays.ts", "freeFailures", 1, (n) => `| Wrong credentials | ${n} are refused at once`],
  ["src/server/auth/failure-delays.ts", "longestSeconds", 1, (n) => `up to ${n} s |`],
  ["src/server/auth/verify-jwt.ts", "maxTokenLength", 1, (n) => `| Token of a sender | ${n} characters |`],
  ["src/server/contract/read-input.ts", "largeBytes", KiB, (n) => `| Events above ${n} KiB, and`],
  ["src/journal/sqlite/open-sqlite-journal.ts", "maxWaitingEntries", 1, (n) => `waiting for the disk | ${n} or`],
  ["src/journal/sqlite/open-sqlite-journal.ts", "maxWaitingBytes", MiB, (n) => `or ${n} MiB; above: OperationFailed`],
  ["src/engine/delivery/outbox.ts", "window", 1, (n) => `${n} of them in memory`],
  ["src/engine/delivery/outbox.ts", "horizonMs", 24 * 3_600 * second, (n) => `${n} days of attempts, then dead`],
  [
    "src/config/sections/event-options.ts",
    "concurrency",
    1,
    (n) => `| Deliveries at once, per second | ${n}, unlimited`,
  ],
  ["src/config/sections/event-options.ts", "timeoutMs", second, (n) => `| One delivery | ${n} s`],
  ["src/server/connection/bulk-parser.ts", "bulkBytes", KiB, (n) => `| Large bodies (above ${n} KiB) at once`],
  ["src/large-bodies/bulk-handler.ts", "maxWaiting", 1, (n) => `at once | ${n}, processed one at a time`],
  ["src/large-bodies/pushes/push-handler.ts", "maxWaiting", 1, (n) => `at once | ${n}, read one at a time`],
  ["src/large-bodies/pushes/push-handler.ts", "maxShortWaiting", 1, (n) => `up to ${n} of them for`],
  ["src/server/inbound/inbound-reading.ts", "pushThreadBytes", KiB, (n) => `| Large pushes (above ${n} KiB`],
  ["src/server/inbound/inbound-reading.ts", "badPushThreadBytes", KiB, (n) => `with errors above ${n} KiB)`],
  ["src/engine/intake/read-push.ts", "mostElements", 1, (n) => `Longer than ${n} elements`],
  ["src/engine/intake/read-push.ts", "mostCancellations", 1, (n) => `elements, or than ${n} cancellations:`],
  ["src/formats/xml/parse-xml.ts", "maxDepth", 1, (n) => `XML ${n} levels`],
  ["src/formats/xml/parse-xml.ts", "maxElements", 1, (n) => `and ${n} elements`],
  ["src/formats/import/read-json.ts", "maxDepth", 1, (n) => `JSON files ${n} levels`],
  ["src/server/inbound/form-records.ts", "maxFields", 1, (n) => `a form ${n} fields`],
  ["src/formats/csv/csv-rows.ts", "maxCells", 1, (n) => `CSV ${n} columns`],
  ["src/connectors/files/store/spool.ts", "mostHeld", MiB, (n) => `a CSV file above ${n} MiB`],
  ["src/formats/stream/key-hashes.ts", "mostKeys", 1, (n) => `MiB ${n} numbers`],
  ["src/formats/csv/csv-rows.ts", "maxRowLength", 1, (n) => `columns and ${n} characters in a row`],
  ["src/formats/import/file-reading.ts", "mostCounted", 1, (n) => `; ${n} problems, after which`],
  ["src/server/connection/body-parser.ts", "mostCrumbs", 1, (n) => `| after the first ${n}, at least`],
  ["src/server/connection/body-parser.ts", "crumbBytes", 1, (n) => `at least ${n} bytes each`],
  // Checked twice a second, and the answer takes some time on a busy machine.
  ["src/server/create-listener.ts", "headersTimeout", second, (n) => `| Headers | complete within ${Number(n) + 1} s,`],
  ["src/server/server.ts", "slowBodyGuard\\(app, \\{ maxMs", second, (n) => `complete within about ${n} s, else`],
  ["src/server/server.ts", "sparedBytes", MiB, (n) => `| Body up to ${n} MiB |`],
  ["src/server/connection/connection-caps.ts", "mostWaiting", 1, (n) => `more than ${n} waiting`],
  ["src/server/admin/read-edit.ts", "editLimitBytes", MiB, (n) => `${n} MiB for an edited entry or record`],
  ["src/config/document/parse-yaml.ts", "length", 1, (n) => `in the console | ${n} characters`],
  ["src/config/document/parse-yaml.ts", "depth", 1, (n) => `characters, ${n} levels`],
  ["src/config/document/parse-yaml.ts", "values", 1, (n) => `levels, ${n} members and list elements`],
  ["src/config/document/parse-yaml.ts", "aliases", 1, (n) => `elements, ${n} uses of an anchor`],
  ["src/connectors/files/image-reader.ts", "maxImageBytes", MiB, (n) => `an image from a folder ${n} MiB`],
];

test.each(stated)("the table of limits states what %s has as %s", (file, name, unit, words) => {
  const value = statedIn(readFileSync(join(root, file), "utf8"), name) / unit;
  expect(Number.isInteger(value), `${value}`).toBe(true);
  expect(section).toContain(words(value.toLocaleString("en")));
});

test("the table of limits states the most bytes of headers that Node takes", () => {
  expect(section).toContain(`10 s, ${maxHeaderSize / KiB} KiB; else`);
});

test("what the sources say is read as the program reads it", () => {
  const outbox = readFileSync(join(root, "src/engine/delivery/outbox.ts"), "utf8");
  expect(statedIn(outbox, "horizonMs")).toBe(defaultOutboxSettings.horizonMs);
  expect(statedIn(readFileSync(join(root, "src/contract/limits.ts"), "utf8"), "smallBodyMiB")).toBe(
    limits.smallBodyMiB,
  );
  expect(statedIn("const a = 3 << 4;", "a")).toBe(48);
});

/** `name = 64 * 2 ** 20`, `name: 1_000`, or the default of a setting; the first in the file. */
function statedIn(source: string, name: string): number {
  const given = new RegExp(`\\b${name}(?: =|:) (?:Type\\.Integer\\(\\{[\\s\\S]*?default: )?([\\d_ *<]*\\d)`).exec(
    source,
  )?.[1];
  expect(given, name).toBeDefined();
  return (given ?? "")
    .replaceAll("_", "")
    .split(" * ")
    .map((factor) => {
      const [, base = factor, sign, exponent = "0"] = /^(\d+) (\*\*|<<) (\d+)$/.exec(factor) ?? [];
      return sign === undefined
        ? Number(base)
        : sign === "**"
          ? Number(base) ** Number(exponent)
          : Number(base) * 2 ** Number(exponent);
    })
    .reduce((product, factor) => product * factor, 1);
}
