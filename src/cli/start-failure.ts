import { writeFailure } from "../app/backup/write-failure.ts";
import { CommandFailure } from "./command.ts";

/** Recognised by its shape, because this room must not import the journal. */
const damagesIn = (error: unknown): readonly string[] | null =>
  error instanceof Error && "damages" in error && Array.isArray(error.damages) ? error.damages.map(String) : null;

/** Recognised by its text, because it comes from the writer's thread. */
export const isFolderInUse = (error: unknown): error is Error =>
  error instanceof Error && /already using this data folder|^Another program is using /.test(error.message);

export interface Started {
  readonly host: string;
  readonly port: number;
  /** Absent if the program has no data folder of its own. */
  readonly dataFolder?: string;
}

/** Explains the usual causes; any other error is passed on unchanged. */
export function startFailure(error: unknown, { host, port, dataFolder }: Started): unknown {
  const damages = damagesIn(error);
  if (damages !== null) {
    return new CommandFailure(["the data folder is damaged, and nothing was started:", ...damages].join("\n  "), {
      next: "crossdock journal recover shows what can be recovered; crossdock restore FOLDER restores a backup",
    });
  }
  if (isFolderInUse(error)) {
    // The advice in the message is for those who start the adapter from their own code.
    return new CommandFailure(error.message.replace(/\. Stop it first.*/, ""), {
      next: "stop it first, or give this one its own folder with --data or CROSSDOCK_DATA_DIR",
    });
  }
  // The store or the data folder cannot be used.
  if (error instanceof Error && "next" in error) return error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new CommandFailure(`port ${port} on ${host} is in use by another program`, {
      next: `stop that program, or choose another port: crossdock start --port ${port === 65_535 ? 8080 : port + 1}`,
    });
  }
  if (code === "EACCES" && port > 0 && port < 1024) {
    return new CommandFailure(`this user may not listen on port ${port}`, {
      next: "choose a port above 1023, or put a proxy in front",
    });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new CommandFailure(`this machine has no address ${host}`, {
      next: "use --host 127.0.0.1 for this machine only, or 0.0.0.0 for all networks",
    });
  }
  return dataFolder === undefined ? error : writeFailure(error, dataFolder);
}
