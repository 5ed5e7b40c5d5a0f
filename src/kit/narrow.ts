/** Whether a value is in a list of a narrower type; `includes` accepts only values that already have that type. */
export const isOneOf = <One>(list: readonly One[], value: unknown): value is One => list.some((one) => one === value);

/** The code that Node.js gives an error of the system, such as `ENOENT`. */
export const errorCode = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
