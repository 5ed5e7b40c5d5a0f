import { systemNetwork } from "../../http-client/network/proxy-choice.ts";
import { defineConnector, offeredAmong } from "../../sdk/connector.ts";
import { openHttp } from "./open-http.ts";
import { httpOptions } from "./options/options.ts";
import { settingsOf, withPreset } from "./options/request-settings.ts";
import { validateOptions } from "./options/validate-options.ts";

/** Any external system with a web interface: orders and items are asked for, events are sent, lists are polled. */
export const http = defineConnector({
  type: "http",
  summary: "Asks and tells an external system by HTTP requests that are described in the configuration.",
  options: httpOptions,
  complete: withPreset,
  validate: validateOptions,
  offers: (options) => {
    const { operations = {}, notices, poll = [] } = settingsOf(options);
    return { operations: offeredAmong(operations), takesNotices: notices !== undefined, bringsIn: poll.length > 0 };
  },
  open: (options, context) => openHttp(options, { ...context, ...systemNetwork }),
});
