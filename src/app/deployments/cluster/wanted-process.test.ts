import { expect, test } from "vitest";
import { wantedProcess } from "./wanted-process.ts";

const deployments = Array.from({ length: 2_000 }, (_, index) => `site-${index}`);
const process = (name: string, weight = 1) => ({ name, weight });
const owners = (processes: readonly { name: string; weight: number }[]) =>
  deployments.map((deployment) => wantedProcess(processes, deployment)?.name);

test("a process that joins takes deployments over, and no other deployment moves", () => {
  const before = owners([process("a"), process("b")]);
  const after = owners([process("c"), process("b"), process("a")]);
  const moved = after.filter((owner, index) => owner !== before[index]);
  expect(new Set(moved)).toEqual(new Set(["c"]));
});

test("each process gets about as many as its weight says", () => {
  const all = owners([process("a"), process("b"), process("c", 2)]);
  const share = (name: string) => all.filter((owner) => owner === name).length / all.length;
  expect(share("a")).toBeCloseTo(0.25, 1);
  expect(share("b")).toBeCloseTo(0.25, 1);
  expect(share("c")).toBeCloseTo(0.5, 1);
});

test("without a process there is no owner", () => {
  expect(wantedProcess([], "north")).toBeNull();
});
