import { isAbsolute } from "node:path";
import { maskTextByName } from "../../operation/secrets/mask-by-name.ts";
import type { Environment } from "../settings.ts";
import { type RunProgram, runProgram } from "./run-program.ts";

/** What a command printed, or why there is no value. */
export type SecretAnswer = { readonly text: string } | { readonly problem: string; readonly hint: string };

/** Texts of a configuration that begin with `exec:`, and what their commands printed. */
export type SecretAnswers = ReadonlyMap<string, SecretAnswer>;

export interface SecretCommands {
  /** Runs the commands of these texts at the same time. With `isFresh`, it also runs those whose answer is known. */
  readonly read: (texts: readonly string[], isFresh?: boolean) => Promise<SecretAnswers>;
}

const variable = "CROSSDOCK_SECRET_PROGRAMS";
const prefix = "exec:";
/**
 * Answers are kept this long, because hundreds of deployments that are loaded one after the other may name the same
 * secret.
 */
const keptMs = 30_000;

/**
 * Reads secrets from a manager such as Vault by running its own program. Only programs named in the environment are
 * run: somebody who may change the configuration in the console must not be able to run anything else on this machine.
 */
export function secretCommands(
  env: Environment,
  { run = runProgram(env), passed = () => performance.now() }: { run?: RunProgram; passed?: () => number } = {},
): SecretCommands {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<SecretAnswer> }>();
  const allowed = (env[variable] ?? "").split(",").flatMap((path) => path.trim() || []);

  const answerOf = async (text: string): Promise<SecretAnswer> => {
    const [program = "", ...args] = wordsOf(text.slice(prefix.length));
    if (!allowed.includes(program) || !isAbsolute(program)) {
      const hint = `Add the program's full path to ${variable} in the environment of the adapter; commas separate several.`;
      return { problem: `this program may not be run: ${program || "(none)"}`, hint };
    }
    try {
      // As for files: the line break at the end is not part of the password.
      const printed = (await run(program, args)).replace(/\r?\n$/, "");
      if (printed !== "") return { text: printed };
      return { problem: `${program} printed nothing`, hint: "It has to print the secret to standard output." };
    } catch (error) {
      return {
        problem: `${program} failed: ${shortened(error instanceof Error ? error.message : String(error))}`,
        hint: "Run it by hand as the adapter's user.",
      };
    }
  };

  return {
    read: async (texts, isFresh = false) => {
      const now = passed();
      for (const [text, { at }] of kept) if (isFresh || now - at >= keptMs) kept.delete(text);
      const answers = [...new Set(texts)].map(async (text) => {
        const one = kept.get(text) ?? { at: now, answer: answerOf(text) };
        kept.set(text, one);
        const answer = await one.answer;
        // A failure is not kept, because the next load may succeed.
        if ("problem" in answer) kept.delete(text);
        return [text, answer] as const;
      });
      return new Map(await Promise.all(answers));
    },
  };
}

/** Every text in a configuration whose value a command has to print. */
export function commandTextsIn(value: unknown): string[] {
  if (typeof value === "string") return value.startsWith(prefix) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(commandTextsIn);
}

/** Splits a command at spaces; quotes keep words together. There is no shell, so no other character has a meaning. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );

/** The program's own message as one short line. It may tell what it was given, such as a token. */
const shortened = (text: string): string => maskTextByName(text.replaceAll(/\s+/g, " ")).slice(0, 200);
