import { versionInfo } from "../../app/version-info.ts";
import { defineCommand } from "../command.ts";

export const openapiCommand = defineCommand({
  name: "openapi",
  summary: "print the OpenAPI 3.1 description of all endpoints",
  details: "The same document that a running adapter serves at /openapi.json, for code generators and API tools.",
  arguments: [],
  options: {
    serverUrl: { value: "URL", description: "address of the adapter to write into the document" },
  },
  examples: [
    { command: "crossdock openapi > openapi.json", does: "writes the document into a file" },
    { command: "crossdock openapi --server-url https://adapter.example.com/wms", does: "sets the adapter's address" },
  ],
  run: async ({ options: { serverUrl }, terminal }) => {
    const { openApi } = await import("../../contract/derive/openapi.ts");
    const document = openApi({ version: versionInfo().version, ...(serverUrl === undefined ? {} : { serverUrl }) });
    terminal.print(JSON.stringify(document, null, 2));
    return "ok";
  },
});
