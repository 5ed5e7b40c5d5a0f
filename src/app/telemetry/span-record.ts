import type { TraceContext } from "../../kit/tracing/trace-context.ts";
import type { Span, SpanOptions } from "../../kit/tracing/tracing.ts";

type Value = string | number | boolean;

export interface SpanLimits {
  readonly mostAttributes: number;
  readonly longestValue: number;
}

export interface SpanRecordNeeds {
  readonly nowUs: () => number;
  readonly onEnd: (span: SpanRecord) => void;
  readonly limits: SpanLimits;
}

/** An id as digits and as bytes. Reading the digits again would cost more than encoding the rest of the span. */
export interface Id {
  readonly digits: string;
  /** The bytes of many ids. */
  readonly bytes: Uint8Array;
  /** Where this one begins. */
  readonly at: number;
}

/** An id that came from another process, or from the journal. */
export const idOf = (digits: string): Id => ({ digits, bytes: Buffer.from(digits, "hex"), at: 0 });

/** A recorded span. It is a class, so that its functions are not created again for every piece of work. */
export class SpanRecord implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled = true;
  readonly state: string;
  readonly trace: Id;
  readonly id: Id;
  /** Null for the first span of a trace. */
  readonly parentId: Id | null;
  /** Whether the parent is in another process. */
  readonly isParentRemote: boolean;
  readonly options: SpanOptions;
  readonly startUs: number;
  endUs = 0;
  /** Names and values alternately; null if there are none, which is common. */
  own: Value[] | null = null;
  /** How many attributes were left out. */
  dropped = 0;
  /** The error; empty unless the work failed. */
  failure = "";
  readonly #needs: SpanRecordNeeds;

  constructor(needs: SpanRecordNeeds, options: SpanOptions, trace: Id, id: Id, parent: TraceContext | null) {
    this.traceId = trace.digits;
    this.spanId = id.digits;
    this.trace = trace;
    this.id = id;
    this.isParentRemote = parent !== null && !(parent instanceof SpanRecord);
    this.parentId = parent === null ? null : parent instanceof SpanRecord ? parent.id : idOf(parent.spanId);
    this.state = parent === null ? "" : parent.state;
    this.options = options;
    this.#needs = needs;
    this.startUs = needs.nowUs();
  }

  set(name: string, value: Value): void {
    if (this.endUs !== 0) return;
    const { mostAttributes, longestValue } = this.#needs.limits;
    const bounded = typeof value === "string" && value.length > longestValue ? value.slice(0, longestValue) : value;
    if (this.own === null) {
      if (mostAttributes > 0) this.own = [name, bounded];
      else this.dropped++;
      return;
    }
    const { own } = this;
    // A name may be in the list only once.
    for (let place = 0; place < own.length; place += 2) {
      if (own[place] !== name) continue;
      own[place + 1] = bounded;
      return;
    }
    if (own.length >= 2 * mostAttributes) this.dropped++;
    else own.push(name, bounded);
  }

  fail(type: string): void {
    if (this.endUs !== 0 || this.failure !== "") return;
    this.failure = type === "" ? "_OTHER" : type.slice(0, this.#needs.limits.longestValue);
  }

  end(): void {
    if (this.endUs !== 0) return;
    // If the clock was set back, the span must still not end before it begins.
    this.endUs = Math.max(this.startUs, this.#needs.nowUs());
    this.#needs.onEnd(this);
  }
}

/** A span that is only passed on: whoever decides about the trace does not want it recorded. */
export class UnrecordedSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled = false;
  readonly state: string;

  constructor(traceId: string, spanId: string, parent: TraceContext | null) {
    this.traceId = traceId;
    this.spanId = spanId;
    this.state = parent?.state ?? "";
  }

  set(): void {
    // Nobody reads it.
  }

  fail(): void {
    // Nobody reads it.
  }

  end(): void {
    // Nobody reads it.
  }
}
