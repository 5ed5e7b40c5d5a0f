/** What somebody has typed behind a command that runs tests. */
export interface GivenTests {
  /** Parts of the paths of the files to run. */
  readonly paths: readonly string[];
  /** For the runner of tests. */
  readonly options: readonly string[];
}

/** These options of the runner take the next word. Of all others the value is written behind `=`. */
const withValue = ["-t", "--testNamePattern"];

export function givenTests(args: readonly string[]): GivenTests {
  const isOption = (at: number) => args[at]?.startsWith("-") === true || withValue.includes(args[at - 1] ?? "");
  return {
    paths: args.filter((_, at) => !isOption(at)),
    options: args.filter((_, at) => isOption(at)),
  };
}
