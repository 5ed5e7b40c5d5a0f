import { connect } from "node:net";
import { Fault } from "crossdock/sdk";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Sends one line of JSON and returns the one that comes back, on a new connection. */
export function queryErp<Answer>({ host, port }: Address, query: object, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(signal === undefined ? {} : { signal }) });
    let text = "";
    socket.setEncoding("utf8");
    socket.on("connect", () => socket.write(`${JSON.stringify(query)}\n`));
    socket.on("data", (piece: string) => {
      text += piece;
      if (!text.endsWith("\n")) return;
      socket.destroy();
      try {
        resolve(JSON.parse(text) as Answer);
      } catch (cause) {
        // It was reached and answered nonsense: trying again does not help.
        reject(new Fault("rejected", "the ERP answered something that is no JSON", { cause }));
      }
    });
    // "The ERP is down" is a fault: events wait and are tried again, queries are answered from the last known data.
    const silent = (cause?: Error) => reject(new Fault("unreachable", `no answer from ${host}:${port}`, { cause }));
    socket.on("error", silent);
    socket.on("close", () => silent());
  });
}
