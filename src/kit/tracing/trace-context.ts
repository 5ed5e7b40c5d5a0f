/** The place of a piece of work in a trace, as W3C Trace Context passes it on. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** The `tracestate` of other systems, passed on unchanged; empty if there is none. */
  readonly state: string;
}

/** A trace context as headers of a request. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const parentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Longer headers are not read at all. Those of later versions may be longer than ours. */
const longestParent = 200;
const noTrace = "0".repeat(32);
const noSpan = "0".repeat(16);
const memberForm =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const mostMembers = 32;
/**
 * W3C requires every system to pass on at least this much; longer lists lose their last members. It limits what an
 * entry stores.
 */
const longestState = 512;
/** A longer list is not read at all. */
const longestStateRead = 8_192;

/**
 * Reads the headers of a request. Returns null if there are none, or if the parent is invalid: then a new trace begins.
 */
export function readTraceHeaders(
  parent: string | readonly string[] | undefined,
  state?: string | readonly string[] | undefined,
): TraceContext | null {
  if (typeof parent !== "string" || parent.length > longestParent) return null;
  const [, version, traceId, spanId, flags, more] = parentForm.exec(parent.trim()) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null;
  // Version 00 has no further parts; a later version may have some.
  if (version === "ff" || (version === "00" && more !== undefined)) return null;
  if (traceId === noTrace || spanId === noSpan) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, state: readState(state) };
}

/** Drops an invalid list as a whole: passed on, it could make the next system drop the trace. */
function readState(given: string | readonly string[] | undefined): string {
  const text = typeof given === "string" ? given : (given?.join(",") ?? "");
  if (text === "" || text.length > longestStateRead) return "";
  const members = text.split(",").flatMap((member) => member.trim() || []);
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf("="))));
  const isValid =
    members.length <= mostMembers && keys.size === members.length && members.every((one) => memberForm.test(one));
  if (!isValid) return "";
  while (members.join(",").length > longestState) members.pop();
  return members.join(",");
}

const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;

export function traceHeadersOf(context: TraceContext): TraceHeaders {
  const traceparent = traceparentOf(context);
  return context.state === "" ? { traceparent } : { traceparent, tracestate: context.state };
}

/** The context as one text for the journal: the parent, then a space and the state if there is one. */
export const traceTextOf = (context: TraceContext): string =>
  context.state === "" ? traceparentOf(context) : `${traceparentOf(context)} ${context.state}`;

/** Reads what `traceTextOf` wrote. Returns null if there is nothing, or if it cannot be read. */
export function readTraceText(text: string | null | undefined): TraceContext | null {
  if (text === null || text === undefined) return null;
  const space = text.indexOf(" ");
  return space < 0 ? readTraceHeaders(text) : readTraceHeaders(text.slice(0, space), text.slice(space + 1));
}
