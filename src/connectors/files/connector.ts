import { lookup } from "node:dns/promises";
import { defineConnector } from "../../sdk/connector.ts";
import { openFiles } from "./open-files.ts";
import { filesOptions } from "./options.ts";

/** A folder, here or behind SFTP: orders and items are dropped there, events are put there. */
export const files = defineConnector({
  type: "files",
  summary: "Takes order, item, cancellation and stock files from a folder or an SFTP server, and writes event files.",
  options: filesOptions,
  open: (options, context) =>
    openFiles(options, { ...context, resolve: (hostname) => lookup(hostname, { all: true, verbatim: true }) }),
});
