import type { CommandGroup } from "../command.ts";
import { quarantineDropCommand } from "./quarantine-drop.ts";
import { quarantineListCommand } from "./quarantine-list.ts";
import { quarantineShowCommand } from "./quarantine-show.ts";

export const quarantineCommands: CommandGroup = {
  name: "quarantine",
  summary: "see the orders and items that were kept back because of wrong data, and why",
  details:
    "A record leaves quarantine by itself when the external system gives a good version of it. " +
    "Speaks to the adapter that runs on the data folder, or at --url, with the key of the folder or CROSSDOCK_API_KEY. " +
    "Where none runs, the file in the data folder is read.",
  commands: [quarantineListCommand, quarantineShowCommand, quarantineDropCommand],
};
