/** Whether a value is in a list of a narrower type. `includes` would accept only values that already have that type. */
export const isOneOf = <One>(list: readonly One[], value: unknown): value is One => list.some((one) => one === value);

/** The code of a system error of Node.js, such as `ENOENT`. */
export const errorCode = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
