import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Runs the given commands one after the other, each to its end. Each ends with the line `N passed, N failed`; the last
 * line here is their sum. A command that ends without it, or with an error and no failure, counts as one failure.
 */
const lastLine = /^(\d+) passed, (\d+) failed$/;
const sum = { passed: 0, failed: 0 };

for (const command of process.argv.slice(2)) {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  let counts: RegExpExecArray | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const found = lastLine.exec(line);
    counts = found ?? counts;
    console.log(found === null ? line : `# ${command}: ${line}`);
  }
  const code = await ended;
  const failed = Number(counts?.[2] ?? 0);
  const isBroken = counts === null || (code !== 0 && failed === 0);
  if (isBroken) console.log(`# failed: ${command} ended with ${code}${counts === null ? " and no result" : ""}`);
  sum.passed += Number(counts?.[1] ?? 0);
  sum.failed += failed + (isBroken ? 1 : 0);
}

console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed === 0 ? 0 : 1;
