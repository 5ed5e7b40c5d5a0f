import type { Problem } from "../../contract/validate/problem.ts";
import { meantSentence } from "../../kit/nearest-name.ts";
import type { Message } from "../../messages/message.ts";

export type ConfigPath = readonly (string | number)[];

export interface ConfigProblem {
  /** The file, or the environment variable. */
  readonly source: string;
  readonly line?: number;
  readonly column?: number;
  /** What is wrong, in one sentence. */
  readonly text: string;
  /** The same for a reader with another language, where the sentence is one of the message catalogue. */
  readonly message?: Message;
  /** What to write instead. */
  readonly hint?: string;
  /** The line of the error, with a caret below it. */
  readonly excerpt?: string;
}

/** What is wrong at a path of the configuration, before its position in the file is known. */
export interface Objection {
  readonly path: ConfigPath;
  readonly text: string;
  readonly hint?: string;
  /** What the schema found, if the text was made from it. */
  readonly problem?: Problem;
  /** Only a secret is missing; an offline check ignores that. */
  readonly lacksSecret?: true;
}

export const didYouMean = (name: string | undefined): string => (name === undefined ? "" : `Did you mean ${name}? `);

/** The words for a value that is none of the choices. */
export function choiceMeant({ expected, detail = "", found }: Problem): string {
  const text = expected === "one-of" ? /^"(\w+)"$/.exec(found ?? "")?.[1] : undefined;
  return text === undefined ? "" : meantSentence(text, detail.split(", "));
}

/** Thrown with all errors at once, so that they can be corrected in one go. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(written).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** The fields of a log line about a configuration that is refused. A ConfigError from another thread has only its name. */
export const refusalFields = (error: unknown): object =>
  error instanceof Error && error.name === "ConfigError" ? { problems: error.message.split("\n") } : { err: error };

function written({ source, line, column, text, hint, excerpt }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  const shown = excerpt === undefined ? "" : `\n${excerpt}`;
  return `${place}: ${text}${shown}${hint === undefined ? "" : `\n    ${hint}`}`;
}

/** The path in the usual notation, such as `files.profiles[0].name`. */
export const pathText = (path: ConfigPath): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );

export const pathOf = (field: string): ConfigPath =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index === undefined ? (name ?? "") : +index));

/** Whether a problem at this path, or inside it, was already reported. Each error is reported once. */
export const isExplained = (path: ConfigPath, wrongFields: readonly string[]): boolean => {
  const field = pathText(path);
  return wrongFields.some((wrong) => wrong === field || wrong.startsWith(`${field}.`) || wrong.startsWith(`${field}[`));
};

export const inFileOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
