import type { Database } from "../../../kit/sqlite.ts";
import { fold } from "../fold.ts";

/** Codes compare without regard to letter case and blanks around them, as in every scan; the first spelling is kept. */
export interface ContainerTable {
  /** How the container was written when it was first seen. */
  readonly spellingOf: (code: string) => string;
  /** Which order is on this container. */
  readonly orderOn: (code: string) => string | null;
  /** Which container this order is on. */
  readonly containerOf: (orderNumber: string) => string | null;
  readonly attach: (code: string, orderNumber: string, at: number) => void;
  /** Releases the container if this order is on it, and leaves another order's alone. */
  readonly release: (code: string, orderNumber: string, at: number) => void;
  readonly move: (code: string, location: string, at: number) => void;
}

export function openContainerTable(database: Database): ContainerTable {
  const spelling = database.statement("SELECT code FROM container WHERE folded = ? LIMIT 1");
  const orderOn = database.statement(
    "SELECT order_number AS orderNumber FROM container WHERE folded = ? AND order_number IS NOT NULL LIMIT 1",
  );
  const containerOf = database.statement("SELECT code FROM container WHERE order_number = ? LIMIT 1");
  const attach = database.statement(
    `INSERT INTO container (code, folded, order_number, changed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET order_number = excluded.order_number, changed_at = excluded.changed_at`,
  );
  const release = database.statement(
    "UPDATE container SET order_number = NULL, changed_at = ? WHERE folded = ? AND order_number = ?",
  );
  const move = database.statement(
    `INSERT INTO container (code, folded, location, changed_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET location = excluded.location, changed_at = excluded.changed_at`,
  );
  const spellingOf = (code: string): string => spelling.get<{ code: string }>(fold(code))?.code ?? code.trim();
  return {
    spellingOf,
    orderOn: (code) => orderOn.get<{ orderNumber: string }>(fold(code))?.orderNumber ?? null,
    containerOf: (orderNumber) => containerOf.get<{ code: string }>(orderNumber)?.code ?? null,
    attach: (code, orderNumber, at) => {
      attach.run(spellingOf(code), fold(code), orderNumber, at);
    },
    release: (code, orderNumber, at) => {
      release.run(at, fold(code), orderNumber);
    },
    move: (code, location, at) => {
      move.run(spellingOf(code), fold(code), location, at);
    },
  };
}
