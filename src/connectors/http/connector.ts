import { systemNetwork } from "../../http-client/network/proxy-choice.ts";
import { defineConnector, offeredAmong } from "../../sdk/connector.ts";
import { openHttp } from "./open-http.ts";
import { httpOptions } from "./options/options.ts";
import { settingsOf, withPreset } from "./options/request-settings.ts";
import { validateOptions } from "./options/validate-options.ts";

/** Any external system with a web interface: queries and events become HTTP requests, lists are polled. */
export const http = defineConnector({
  type: "http",
  summary: "Sends queries and events to an external system by HTTP requests that the configuration describes.",
  options: httpOptions,
  complete: withPreset,
  validate: validateOptions,
  offers: (options) => {
    const { operations = {}, notices, poll = [] } = settingsOf(options);
    return { operations: offeredAmong(operations), takesNotices: notices !== undefined, bringsIn: poll.length > 0 };
  },
  open: (options, context) => openHttp(options, { ...context, ...systemNetwork }),
});
