type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns an order whose lines are identified by members that stay the same while it is worked on. Some systems give a
 * line a new id when it is split or planned again, and under the new id it would count as another line. The system's
 * own id is kept for its requests, as `line.data.id`.
 */
export function withLineKeys(order: unknown, names: readonly string[]): unknown {
  if (!isObject(order) || !Array.isArray(order["requests"])) return order;
  const counts = new Map<string, number>();
  const requests = order["requests"].map((line: unknown) => {
    if (!isObject(line)) return line;
    const key = names.map((name) => String(line[name] ?? "")).join("/");
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return {
      ...line,
      requestExternalIdentifier: count === 1 ? key : `${key}#${count}`,
      requestExternalData: withId(line["requestExternalData"], line["requestExternalIdentifier"]),
    };
  });
  return { ...order, requests };
}

/** Adds the system's id of a line to its data. Data that is not an object is kept as the member `data`. */
function withId(given: unknown, id: unknown): unknown {
  const own = id === undefined || id === null ? {} : { id };
  const data = typeof given === "string" ? (parsed(given) ?? { data: given }) : given;
  return JSON.stringify({ ...own, ...(isObject(data) ? data : {}) });
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
