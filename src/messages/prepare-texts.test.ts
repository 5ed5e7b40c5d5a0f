import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const moduleAt = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** How long the first text of a process takes, in milliseconds. In a process of its own, because here Intl was used. */
function firstTextMs(before: string): number {
  const program = `
    import { localise, prepareTexts } from ${moduleAt("./localise.ts")};
    import { say } from ${moduleAt("./message.ts")};
    ${before}
    const begin = performance.now();
    localise(say("alarms.circuit", { target: "erp", count: 3 }), "de");
    console.log(performance.now() - begin);
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return Number(stdout);
}

test("the first refused request does not wait until Intl has read its data", () => {
  const times = (before: string) => Math.min(...[1, 2, 3].map(() => firstTextMs(before)));
  expect(times("prepareTexts();")).toBeLessThan(times("") / 2);
});
