import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { missingPiece, runSteps, section } from "../support/adapter/walkthrough.ts";
import { builtProgram, compiled } from "../support/built-program.ts";
import { newFolder, removeFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const page = section(readFileSync(join(root, "docs/how-to/receive-pushes.md"), "utf8"), "Five senders");

/** Each `sh` block with the words before it and the answer below it. */
const blocks = [
  ...page.matchAll(/^(?:\*\*([^\n]+?)\*\*[^\n]*\n\n)?```sh\n(.*?)^```(?:\n\n```text\n(.*?)^```)?/gms),
].map(([, name = "", command = "", answer]) => ({ name, command, answer }));
const [prepare, begin, ...senders] = blocks;
const environment = { SHOP_SECRET: "shop-secret-0123456789", ERP_PASSWORD: "erp-password-0123456789" };

let folder: string;
let answers: string[];
let stop = async () => {};
beforeAll(async () => {
  folder = newFolder();
  const env = { ...compiled(), PATH: process.env["PATH"] ?? "", HOME: folder };
  await runSteps([{ command: prepare?.command ?? "", answer: undefined }], { cwd: folder, env });
  const place = join(folder, "pushes");
  // The program itself instead of npx, which would look for it in a registry; all else is as written.
  expect(begin?.command).toBe("npx crossdock start\n");
  const adapter = spawn(process.execPath, [builtProgram(), "start"], {
    cwd: place,
    env: { ...env, ...environment, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  stop = async () => {
    const ended = once(adapter, "exit");
    adapter.kill("SIGTERM");
    await ended;
  };
  const port = await new Promise<string>((found, failed) => {
    let output = "";
    const read = (bytes: Buffer) => {
      output += bytes.toString();
      const address = /https:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (address !== undefined) found(address);
    };
    adapter.stdout.on("data", read);
    adapter.stderr.on("data", read);
    adapter.once("exit", () => failed(new Error(`it ended before it served:\n${output}`)));
  });
  answers = await runSteps(senders, { cwd: place, env: { ...env, ...environment, PORT: port } });
});
afterAll(async () => {
  await stop();
  removeFolder(folder);
});

test("there are five of them: curl, a shop, an ERP, a token, a certificate", () => {
  expect(senders.map(({ name }) => name)).toEqual([
    "curl, with the API key:",
    "A shop that signs, as Shopify does",
    "An ERP with a password that sends XML",
    "A client with a token",
    "A machine with a client certificate:",
  ]);
  expect(senders.every(({ answer }) => answer !== undefined)).toBe(true);
  for (const [name, value] of Object.entries(environment)) expect(prepare?.command).toContain(`${name}=${value}`);
});

test.each(senders.map((sender, index) => ({ ...sender, index })))(
  "$name works as written, and is answered as shown",
  ({ answer = "", index }) => {
    const printed = answers[index] ?? "";
    expect(missingPiece(answer, printed), printed).toBeNull();
  },
);
