/** What is there at once; fails if it comes later. */
export function atOnce<Value>(value: Value | Promise<Value>): Value {
  if (value instanceof Promise) throw new Error("the value comes later");
  return value;
}
