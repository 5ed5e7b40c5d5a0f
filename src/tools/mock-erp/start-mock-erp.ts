import { seededRandom } from "../../kit/ids.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { type FileFormat, openFileFace } from "./faces/file-face.ts";
import { controlFace, openHttpFaces } from "./faces/http-faces.ts";
import { restFace } from "./faces/rest-face.ts";
import { openSqlFace } from "./faces/sql-face.ts";
import { type ErpFaults, openRecorded, type Recorded } from "./faults.ts";
import { openSqlStore } from "./sql-store.ts";
import type { GivenRecords } from "./state/erp-records.ts";
import { type ErpState, openErpState } from "./state/erp-state.ts";

export interface MockErpNeeds {
  readonly seed: number;
  readonly orders: number;
  readonly items: number;
  /** The user's own records; null generates random ones. */
  readonly given: GivenRecords | null;
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  /** Errors have status 200 and a member `error`. */
  readonly isErrorInBody: boolean;
  readonly faults: ErpFaults;
  /** SQLite file, `postgres://…` or `mysql://…`; null for no tables. */
  readonly database: string | null;
  /** Folder for exchanging files; null for none. */
  readonly folder: string | null;
  readonly fileFormat: FileFormat;
  readonly everyMs: number;
  readonly timers: Timers;
  readonly now: () => number;
  readonly onTrouble: (text: string) => void;
}

export interface MockErp {
  /** The base address of `/api` and `/control`. */
  readonly url: string;
  readonly state: ErpState;
  readonly recorded: Recorded;
  readonly faults: { current: ErpFaults };
  readonly close: () => Promise<void>;
}

/** A mock ERP with three interfaces to the same state: REST, tables and files. */
export async function startMockErp(needs: MockErpNeeds): Promise<MockErp> {
  const { seed, orders, now, timers, host, port, token, isErrorInBody, everyMs } = needs;
  const erp = openErpState({ seed, orders, items: needs.items, given: needs.given, today: new Date(now()), now });
  const recorded = openRecorded();
  const faults = { current: needs.faults };
  const store = needs.database === null ? null : await openSqlStore(needs.database);
  const sql = store === null ? null : await openSqlFace({ store, erp, now }).catch(closing(store));
  const files =
    needs.folder === null ? null : await openFileFace({ folder: needs.folder, erp, format: needs.fileFormat });
  const rest = restFace(erp, { isErrorInBody });
  const control = controlFace({ erp, recorded, faults });
  const random = seededRandom(seed, "faults of the ERP");
  const faces = { host, port, token, rest, control, faults, random, recorded, timers, now };
  const http = await openHttpFaces(faces).catch(async (error: unknown) => {
    await sql?.close();
    throw error;
  });

  let isClosed = false;
  let ticking: Promise<void> = Promise.resolve();
  let callOff = () => {};
  const tick = async () => {
    // While the ERP is down, it neither reads nor writes its files and tables.
    if (!faults.current.isDown) {
      for (const face of [sql, files]) {
        await face?.tick().catch((error: unknown) => needs.onTrouble(error instanceof Error ? error.message : "?"));
      }
    }
    wait();
  };
  const wait = () => {
    if (isClosed || (sql === null && files === null)) return;
    callOff = timers.after(everyMs, () => {
      ticking = tick();
    });
  };
  wait();
  return {
    ...{ url: http.url, state: erp, recorded, faults },
    close: async () => {
      isClosed = true;
      callOff();
      await http.close();
      await ticking;
      await sql?.close();
    },
  };
}

const closing =
  ({ close }: { readonly close: () => Promise<void> }) =>
  async (error: unknown): Promise<never> => {
    await close();
    throw error;
  };
