/** How deep causes are followed; a cause may contain itself. */
const mostCauses = 6;

interface ErrorLike {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly message: string;
  readonly stack?: unknown;
  readonly cause?: unknown;
}

const isErrorLike = (value: unknown): value is ErrorLike =>
  typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";

/**
 * An error as it stands in a line of the log, with the messages and the stacks of its causes. The log of an adapter has
 * masked it before, so it is a plain object, and the log library would call its type `Object`. Many errors quote their
 * cause; its message is not repeated then.
 */
export function errorRecord(given: unknown): unknown {
  if (!isErrorLike(given)) return given;
  const chain = [given];
  for (let next = given.cause; isErrorLike(next) && chain.length <= mostCauses; next = next.cause) chain.push(next);
  const { cause: _, name, ...members } = given;
  const stacks = chain.flatMap(({ stack }) => (typeof stack === "string" && stack !== "" ? [stack] : []));
  return {
    ...members,
    type: given.type ?? name ?? "Error",
    message: chain.reduce((text, { message }) => withCause(text, message), ""),
    stack: stacks.join("\ncaused by: "),
  };
}

const withCause = (text: string, cause: string): string =>
  text === "" ? cause : text.includes(cause) ? text : `${text}: ${cause}`;
