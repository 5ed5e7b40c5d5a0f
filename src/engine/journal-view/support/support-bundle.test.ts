import { expect, test } from "vitest";
import type { JournalOverview } from "../journal-overview.ts";
import { supportBundle } from "./support-bundle.ts";

const unknown = () => Promise.reject(new Error("not asked for"));

test("no part of a secret is left where a long text is cut, however long the secret is", async () => {
  const secret = "abcdefghij".repeat(2_000);
  const mask = (text: string) => text.replaceAll(secret, "***");
  for (const start of [44_000, 56_000, 65_000, 65_530]) {
    const said = `${"z".repeat(start)}${secret}${"z".repeat(40_000)}`;
    const overview: Pick<JournalOverview, "order" | "timeline" | "explain" | "find" | "show"> = {
      // Only what the text stands in matters here, not its other members.
      order: async () => ({ said }) as never,
      timeline: async () => null,
      explain: async () => null,
      find: async () => ({ entries: [], nextBefore: null }),
      show: unknown,
    };
    const maskSecrets = Object.assign(mask, { longest: secret.length });
    const bundle = await supportBundle({ overview, maskSecrets, version: "1", now: () => 0 }, "N");
    const text = JSON.stringify(bundle?.order);
    expect(text).toContain("zzz");
    expect(text).not.toContain("abc");
  }
});
