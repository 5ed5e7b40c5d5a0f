import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHttp } from "../../../src/connectors/http/connector.ts";
import type { StepOptions } from "../../../src/connectors/http/options/operation-options.ts";
import { deliveryProgress } from "../../../src/engine/delivery/delivery-progress.ts";
import { httpClient } from "../../../src/http-client/http-client.ts";
import { systemNetwork } from "../../../src/http-client/network/proxy-choice.ts";
import type { NewEntry } from "../../../src/journal/entry.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/open-sqlite-journal.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import type { CallContext, DeliveryProgress, Operate } from "../../../src/sdk/connector.ts";
import { median } from "../../harness/median.ts";
import type { Figure } from "../../harness/report/measurement.ts";

const rounds = 5;
const events = 200;
const steps: StepOptions[] = [
  { name: "find", method: "GET", path: "/orders/{workOrderNumber}" },
  ...["reserve", "pick", "ship"].map((name) => ({
    name,
    path: `/book/${name}`,
    when: "= $exists(containerCode)",
    map: { order: "steps.find.id", tote: "containerCode", note: "= workOrderNumber & '/' & containerCode" },
  })),
];
const attachment = { workOrderNumber: "4711", containerCode: "C-9" };

/** Processor time per event in milliseconds, over one round. Other programs on the machine are not counted. */
async function perEvent(send: (nth: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let nth = 0; nth < events; nth++) await send(nth);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / events;
}

export const stepsFigure: Figure = {
  name: "steps",
  chapter: "Delivery",
  summary:
    "One event as four requests with a condition and field rules of their own, one after another, against the same four requests " +
    "without anything around them; then with the entry and its progress stored (four commits). Processor time per event, of all threads.",
  measure: async () => {
    const server = createServer((_request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":77}'),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A server on a port has this type.
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = mkdtempSync(join(tmpdir(), "crossdock-steps-"));
    const journal = await openSqliteJournal({ databaseFile: join(folder, "crossdock.db") });
    const connectorState = { read: () => undefined, write: async () => {} };
    const context = {
      ...{ clock: systemClock, log: silentLog, timers: systemTimers, databaseFile: "", connectorState },
      dates: { timeZone: "UTC", timeOfDay: "00:00" },
      ...systemNetwork,
    };
    const connector = openHttp({ baseUrl, operations: { attachWorkOrder: { steps } } }, context);
    // The operation that was just configured.
    const operate = connector.operations.attachWorkOrder as Operate<"attachWorkOrder">;
    const timeouts = { connectMs: 3000, headersMs: 10_000, totalMs: 15_000 };
    const bare = httpClient({ url: new URL(baseUrl), timeouts, maxAnswerBytes: 1e6, decodes: true, ...systemNetwork });
    const signal = new AbortController().signal;
    const delivered = (seq: number, progress?: DeliveryProgress) => {
      const delivery = { entryId: `evt_${seq}`, seq, topic: "attachWorkOrder", body: "{}", lanes: [] };
      const given: CallContext = {
        ...{ language: "en", signal },
        delivery: { ...delivery, receivedAt: 0, attempt: 1, replay: 0 },
        ...(progress === undefined ? {} : { progress }),
      };
      return Promise.resolve(operate(attachment, given));
    };
    const body = Buffer.from('{"order":77,"tote":"C-9","note":"4711/C-9"}');
    const plain = async () => {
      const headers = { "content-type": "application/json", "content-length": String(body.length) };
      await bare.send({ method: "GET", url: new URL(`${baseUrl}/orders/4711`), headers: {}, signal });
      for (const name of ["reserve", "pick", "ship"])
        await bare.send({ method: "POST", url: new URL(`${baseUrl}/book/${name}`), headers, body, signal });
    };
    const stored = async (nth: number) => {
      const entry: NewEntry = {
        ...{ id: `evt_${nth}_${performance.now()}`, direction: "out", topic: "attachWorkOrder", lanes: ["wo:1"] },
        ...{ body: "{}", payload: null, acceptLanguage: null, receivedAt: 0, handling: "hold", target: "erp" },
      };
      const [appended] = await journal.append([entry], "token");
      if (appended === undefined || !("seq" in appended)) throw new Error("a new entry was expected");
      const lease = { seq: appended.seq, token: "token" };
      await delivered(appended.seq, deliveryProgress({ journal, lease, restart: () => {} }));
    };
    try {
      const times: { ours: number; bare: number; stored: number }[] = [];
      for (let round = 0; round <= rounds; round++) {
        times.push({
          bare: await perEvent(plain),
          ours: await perEvent((nth) => delivered(nth)),
          stored: await perEvent(stored),
        });
      }
      const measured = times.slice(1);
      const ours = median(measured.map((one) => one.ours));
      const control = median(measured.map((one) => one.bare));
      return [
        { what: "Event in four steps with field rules and conditions", unit: "ms", ours, bare: control },
        {
          what: "What mapping and steps add to the four requests",
          unit: "ms",
          ours: ours - control,
          bar: { of: "figure", at: "most", limit: 1 },
        },
        {
          what: "The same with its progress stored, four commits",
          unit: "ms",
          ours: median(measured.map((one) => one.stored)),
        },
      ];
    } finally {
      bare.close();
      await connector.close();
      await journal.close();
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
