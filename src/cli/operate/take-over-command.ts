import { defineCommand } from "../command.ts";
import { adapterOptions, withAdapter } from "../find-adapter.ts";

export const takeOverCommand = defineCommand({
  name: "take-over",
  summary: "let a process own a deployment that another process owns",
  details:
    "For processes that serve several deployments from one PostgreSQL (`deployments` with `store`). The process on this data folder, or at --url, " +
    "takes the deployment over while both serve: requests wait for a moment, and none fails. " +
    "It keeps the deployment until it stops, or until another process is told to take it over.",
  arguments: [{ name: "deployment", description: "its name, as `crossdock status` shows it" }],
  options: {
    url: { value: "URL", description: "address of the process (else the one that runs on the data folder)" },
    data: adapterOptions.data,
  },
  examples: [
    { command: "crossdock take-over north", does: "the process on this machine owns north from now on" },
    { command: "crossdock take-over north --url http://10.0.0.2:8080", does: "the same for a process elsewhere" },
  ],
  run: async ({ arguments: { deployment }, options, terminal }) => {
    const { wasOwner } = await withAdapter(options, terminal, (client) =>
      client.post<{ readonly wasOwner: boolean }>("/deployments/take-over", { deployment }),
    );
    const now = wasOwner ? `The process owned ${deployment} already` : `The process owns ${deployment} now`;
    terminal.print(`${now}, and keeps it until it stops or another one takes it over.`);
    return "ok";
  },
});
