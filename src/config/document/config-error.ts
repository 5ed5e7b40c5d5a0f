export type ConfigPath = readonly (string | number)[];

export interface ConfigProblem {
  /** The file, or the environment variable. */
  readonly source: string;
  readonly line?: number;
  readonly column?: number;
  /** What is wrong, in one sentence. */
  readonly text: string;
  /** What to write instead. */
  readonly hint?: string;
  /** The line it stands in, with a mark below it. */
  readonly excerpt?: string;
}

/** What is wrong at a place of the configuration, before it is known where in the file that is. */
export interface Objection {
  readonly path: ConfigPath;
  readonly text: string;
  readonly hint?: string;
  /** Only a secret is missing: whoever looks at the file alone need not have it. */
  readonly lacksSecret?: true;
}

export const didYouMean = (name: string | undefined): string => (name === undefined ? "" : `Did you mean ${name}? `);

/** Thrown with everything that is wrong at once: a person mends all of it in one go. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(written).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

function written({ source, line, column, text, hint, excerpt }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  const shown = excerpt === undefined ? "" : `\n${excerpt}`;
  return `${place}: ${text}${shown}${hint === undefined ? "" : `\n    ${hint}`}`;
}

/** `files.profiles[0].name`, as a person writes it. */
export const pathText = (path: ConfigPath): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );

export const pathOf = (field: string): ConfigPath =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index === undefined ? (name ?? "") : +index));
