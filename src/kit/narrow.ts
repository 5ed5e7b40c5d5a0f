/** Whether a value is one of a list whose elements have a narrower type: `includes` takes only what is known to be one. */
export const isOneOf = <One>(list: readonly One[], value: unknown): value is One => list.some((one) => one === value);

/** The code that Node.js gives an error of the system, such as `ENOENT`. */
export const errorCode = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
