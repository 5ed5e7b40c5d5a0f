import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runDoctor } from "../../../src/app/doctor/run-doctor.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { freePort } from "../../peers/free-port.ts";
import { peerGroup } from "../../peers/peer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newDeployment, urlOf } from "../deployment.ts";

await peerGroup("postgres", "the doctor and the clock of PostgreSQL", (address) => {
  test("a clock that differs from PostgreSQL's is found, with how far and what to do", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify({ deployment: newDeployment(), store: urlOf(address) }));
    const options = { data: cwd, port: String(await freePort()) };
    const load = () => loadConfig({ cwd, env: {}, options });
    const clocks = async (now: () => number) =>
      (await runDoctor({ load, now })).filter(({ subject }) => subject === "clock").slice(1);
    expect(await clocks(Date.now)).toMatchObject([{ state: "ok", text: expect.stringContaining("PostgreSQL") }]);
    expect(await clocks(() => Date.now() + 7_200_000)).toMatchObject([
      {
        state: "error",
        text: "the clock of this machine is 2 h 0 min ahead of that of PostgreSQL",
        remedy: expect.stringContaining("timedatectl set-ntp true"),
      },
    ]);
  });
});
