import { afterAll, beforeAll, expect, test } from "vitest";
import { adminRouteNames } from "../../src/contract/admin/admin-rows.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";

/** These bring a file, or a new body for an entry or a record; they are read in another thread. */
const takesFiles = [
  "POST /admin/files/preview",
  "POST /admin/journal/:entry/edit",
  "POST /admin/journal/:entry/check",
  "POST /admin/quarantine/:id/retry",
];

let url = "";
beforeAll(async () => {
  ({ url } = await startAdapter({ onFinished: afterAll }));
});

test.each(adminRouteNames.filter((route) => /^(POST|PUT|PATCH)/.test(route) && !takesFiles.includes(route)))(
  "%s takes only bodies that are read within a few milliseconds",
  async (route) => {
    const [method = "", path = ""] = route.split(" ");
    const answer = await fetch(url + path.replaceAll(/:\w+/g, "1"), {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify({ operator: "x".repeat(128 * 1024) }),
    });
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      413,
      expect.stringMatching(/larger than \d+ KiB/),
    ]);
  },
);
