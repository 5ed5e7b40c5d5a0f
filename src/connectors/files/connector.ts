import { defineConnector } from "../../sdk/connector.ts";
import { systemNetwork } from "../../sdk/http/system-network.ts";
import { offeredAmong } from "../../sdk/offer.ts";
import { openFiles } from "./open-files.ts";
import { filesOptions, tellIds } from "./options.ts";
import { validateOptions } from "./validate-options.ts";

/** A folder, here or behind SFTP: orders and items are dropped there, events are put there. */
export const files = defineConnector({
  type: "files",
  summary: "Takes order, item, cancellation and stock files from a folder or an SFTP server, and writes event files.",
  options: filesOptions,
  validate: validateOptions,
  offers: ({ in: incoming = [], out = {}, images }) => {
    const named: Readonly<Record<string, unknown>> = out;
    const written = tellIds.filter((id) => (named[id] ?? out.all) !== undefined);
    return {
      operations: offeredAmong({ ...Object.fromEntries(written.map((id) => [id, true])), getItemImage: images }),
      takesNotices: (out.notices ?? out.all) !== undefined,
      bringsIn: incoming.length > 0,
    };
  },
  open: (options, context) => openFiles(options, { ...context, ...systemNetwork }),
});
