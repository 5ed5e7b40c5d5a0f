import type { Booking as ErpBooking } from "../../src/tools/mock-erp/state/erp-records.ts";

/** One line in the books of an ERP, in words that all examples share; what a line does not have is left out. */
export type Booking = Pick<ErpBooking, "what" | "order"> & {
  readonly [Member in Exclude<keyof ErpBooking, "what" | "order">]?: NonNullable<ErpBooking[Member]>;
};

/** The external system of an example, small but real: it runs, keeps books, and can be out of order. */
export interface ExampleErp {
  /** Variables that its configuration names. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the platform's questions reach it; otherwise it brings its orders in, and the adapter answers. */
  readonly isAskedLive: boolean;
  /** Everything it has booked, in the order it did so; `id` is what it knows a repeat by. */
  readonly booked: () => Promise<readonly (Booking & { readonly id: string })[]>;
  /** Somebody in the office cancels one line. */
  readonly cancelLine: (order: string, line: string) => Promise<void>;
  /** Somebody in the office corrects the order that could not be served. */
  readonly mendBadOrder: () => Promise<void>;
  readonly goDown: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  readonly close: () => Promise<void>;
}
