import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { type CopyOptions, type OpenCopy, openCopy } from "../../replication/copy/open-copy.ts";
import { copyTables } from "../../replication/copy/table-digests.ts";
import { sideStream } from "../../replication/postgres/side-stream.ts";
import { openSideCopy } from "../../replication/side/side-copies.ts";
import { sideFiles } from "../replicated/side-files.ts";

/** A file of a data folder that is stored in PostgreSQL. */
export interface Stream {
  readonly name: string;
  /** The name of the file in PostgreSQL. */
  readonly stream: string;
  readonly isJournal: boolean;
  /** Opens a copy of the file in another place. */
  readonly open: (
    file: string,
    projection: Pick<CopyOptions, "projectionModule" | "projectionOptions">,
  ) => Promise<OpenCopy>;
}

/** The journal first, then the side databases. */
export const streamsOf = (deployment: string): readonly Stream[] => [
  {
    ...{ name: "crossdock.db", stream: deployment, isJournal: true },
    open: (file, projection) => openCopy({ databaseFile: file, ...projection }),
  },
  ...sideFiles.map((side) => ({
    ...{ name: side.name, stream: sideStream(deployment, side.name), isJournal: false },
    // The file is new, so there is nothing to report.
    open: async (file: string) => openSideCopy(file, side, () => {}),
  })),
];

/** Turns a copy of a deployment into a file of its own. */
export function forgetPosition(file: string): void {
  const database = openDatabase(file);
  try {
    for (const table of copyTables) database.exec(`DROP TABLE IF EXISTS ${table}`);
  } finally {
    database.close();
  }
}
