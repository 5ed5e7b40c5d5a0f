import type { Language } from "../../messages/languages.ts";
import type { Alert } from "./alarm.ts";

/** A way to tell somebody. */
export interface AlertChannel {
  /** Resolves when the other side has taken it, else throws. The same alert may come twice, under the same id. */
  readonly send: (alert: Alert, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** How alerts are written. */
export interface AlertStyle {
  readonly language: Language;
  readonly timeZone: string;
  /** Where people reach the adapter, without a slash at the end. */
  readonly publicUrl: string;
}

/** Where a person sees everything about an order; needs the key. */
export const timelineLink = (publicUrl: string, order: string): string =>
  `${publicUrl}/admin/orders/${encodeURIComponent(order)}/timeline?format=text`;
