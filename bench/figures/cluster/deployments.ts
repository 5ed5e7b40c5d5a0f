import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../../harness/median.ts";
import { startOnce } from "../../harness/processes/start-once.ts";
import type { Figure } from "../../harness/report/measurement.ts";

const count = 500;
const rounds = 3;
const idleMs = 5_000;

export const deployments: Figure = {
  name: "deployments",
  chapter: "Answers",
  summary:
    `\`crossdock start\` with ${count} deployments that nobody uses: from the start of the process to its first answer, and the ` +
    "memory it holds after five idle seconds.",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
    try {
      mkdirSync(join(folder, "sites"));
      writeFileSync(join(folder, "crossdock.yaml"), "deployments:\n  folder: sites\n");
      for (let site = 1; site <= count; site++) {
        writeFileSync(join(folder, "sites", `site-${site}.yaml`), "timeZone: Europe/Berlin\n");
      }
      const startMs: number[] = [];
      const idleMegabytes: number[] = [];
      // The first start fills the compile cache and writes the keys, so it does not count.
      for (let round = 0; round <= rounds; round++) {
        const one = await startOnce(folder, { idleMs, path: "/deployments/live" });
        if (round === 0) continue;
        startMs.push(one.startMs);
        idleMegabytes.push(one.idleMegabytes);
      }
      return [
        {
          what: `Start to first answer, ${count} deployments`,
          unit: "ms",
          ours: median(startMs),
          bar: { of: "figure", at: "most", limit: 5000 },
        },
        {
          what: `Idle memory, ${count} deployments`,
          unit: "MB",
          ours: median(idleMegabytes),
          bar: { of: "figure", at: "most", limit: 600 },
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
