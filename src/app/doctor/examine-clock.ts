import { type Finding, failure, fine, warning } from "./finding.ts";

/** The clock of another machine. */
export interface OtherClock {
  /** Whose it is, as people know it. */
  readonly of: string;
  /** How far it is ahead of the clock of this machine; negative if it is behind. */
  readonly aheadMs: number;
}

/** Clocks that follow a time server differ by less; the dates of servers have whole seconds. */
const mostMs = 5_000;
/** Tokens and signatures are refused before that, and orders get wrong times. */
const badMs = 60_000;

const remedy =
  "Let this machine follow a time server: timedatectl set-ntp true; timedatectl timesync-status shows whether it does. If it does, tell whoever runs the other one.";

/** Compares the clock of this machine with others. Without any, nothing is said. */
export function examineClock(others: readonly OtherClock[]): Finding[] {
  if (others.length === 0) return [];
  const isOff = ({ aheadMs }: OtherClock) => Math.abs(aheadMs) >= mostMs;
  const right = others.filter((one) => !isOff(one));
  const agreed = right.map(({ of, aheadMs }) => `${of} (${differenceText(aheadMs)})`).join(", ");
  return [
    ...(right.length === 0 ? [] : [fine("clock", `it agrees with ${agreed}`)]),
    ...others.filter(isOff).map(({ of, aheadMs }) => {
      const text = `the clock of this machine is ${durationText(aheadMs)} ${aheadMs > 0 ? "behind" : "ahead of"} that of ${of}`;
      return Math.abs(aheadMs) < badMs ? warning("clock", text, remedy) : failure("clock", text, remedy);
    }),
  ];
}

const differenceText = (ms: number): string => `${(Math.abs(ms) / 1000).toFixed(1)} s`;

function durationText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
