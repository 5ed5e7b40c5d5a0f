import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A command block of a document and the answer that is shown below it. */
export interface ShownStep {
  readonly command: string;
  /** Absent if the document shows none. */
  readonly answer: string | undefined;
}

const block = /^```(\w+)\n(.*?)^```$/gms;

/** The `bash` blocks of a document in order, each with the `text` block that follows it. */
export function shownSteps(markdown: string): ShownStep[] {
  const steps: { command: string; answer: string | undefined }[] = [];
  for (const [, language, content = ""] of markdown.matchAll(block)) {
    const last = steps.at(-1);
    if (language === "bash") steps.push({ command: content, answer: undefined });
    else if (language === "text" && last !== undefined) last.answer ??= content;
  }
  return steps;
}

export const section = (markdown: string, heading: string): string =>
  markdown.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";

const run = promisify(execFile);
const mark = "--- next ---";

/**
 * Runs all steps in one shell, as a reader would, and returns what each one printed. Stops at the first step that
 * fails.
 */
export async function runSteps(
  steps: readonly ShownStep[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string[]> {
  const script = ["set -e", ...steps.map(({ command }) => `${command}\necho; echo '${mark}'`)].join("\n");
  const { stdout } = await run("bash", ["-c", script], { cwd, env, maxBuffer: 64 * 2 ** 20 });
  return stdout.split(mark).slice(0, -1);
}

const squeezed = (text: string) => text.replace(/\s+/g, "");

/**
 * Returns the first piece of a shown answer that the real one lacks, or null. White space is ignored; `…` stands for
 * anything.
 */
export function missingPiece(shown: string, real: string): string | null {
  const actual = squeezed(real);
  let at = 0;
  for (const [index, piece] of squeezed(shown).split("…").entries()) {
    const found = actual.indexOf(piece, at);
    if (found < 0 || (index === 0 && found > 0)) return piece;
    at = found + piece.length;
  }
  return null;
}
