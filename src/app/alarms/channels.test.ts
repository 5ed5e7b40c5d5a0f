import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { authority } from "../../../test/support/receivers/certificates.ts";
import { receiver } from "../../../test/support/receivers/receiver.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Alert, AlertChannel } from "../../engine/alarms/alarm.ts";
import { openAlarmFile } from "../../engine/alarms/open-alarm-file.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock, systemClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { say } from "../../messages/message.ts";
import { mailChannel } from "./mail-channel.ts";
import { alertSender } from "./send-alerts.ts";
import { webhookChannel } from "./webhook-channel.ts";

const style = { language: "en" as const, timeZone: "Europe/Berlin", publicUrl: "https://adapter.example/wms" };
const alert: Alert = {
  id: "alert_0198c0de-0000-7000-8000-000000000001",
  change: "raised",
  at: Date.UTC(2026, 0, 5, 8, 1),
  alarm: {
    kind: "refused",
    subject: "erp",
    text: say("alarms.refused", { target: "erp", count: 1 }),
    since: Date.UTC(2026, 0, 5, 8),
    entries: [
      {
        ...{
          seq: 41,
          id: "evt_1",
          orders: ["47/11"],
          event: "3 × A-1 put on the wall",
          topic: "confirmPutWallPlacement",
        },
        ...{ target: "erp", lastAnswer: "422: order is closed", receivedAt: Date.UTC(2026, 0, 5, 7) },
      },
    ],
  },
};
const never = new AbortController().signal;

test("a webhook gets the alert with order, event, last answer and timeline, and a real verifier accepts its signature", async () => {
  const server = await receiver((response) => response.writeHead(204).end());
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const channel = webhookChannel({ url: server.url, secrets: [secret], clock: systemClock, style });
  onTestFinished(() => channel.close());
  await channel.send(alert, never);
  const [request] = server.requests;
  const body = request?.body.toString() ?? "";
  // The headers that the signature uses are single texts, never lists.
  new Webhook(secret).verify(body, request?.headers as Record<string, string>);
  expect(JSON.parse(body)).toEqual({
    id: alert.id,
    change: "raised",
    alarm: "refused",
    subject: "erp",
    text: "erp refused 1 event. Mend the cause there and retry, or edit or skip them.",
    at: "2026-01-05T08:01:00.000Z",
    since: "2026-01-05T08:00:00.000Z",
    adapter: "https://adapter.example/wms",
    entries: [
      {
        entry: "evt_1",
        seq: 41,
        orders: ["47/11"],
        event: "3 × A-1 put on the wall",
        topic: "confirmPutWallPlacement",
        target: "erp",
        lastAnswer: "422: order is closed",
        receivedAt: "2026-01-05T07:00:00.000Z",
        timelines: ["https://adapter.example/wms/admin/orders/47%2F11/timeline?format=text"],
      },
    ],
  });
});

test.each([301, 404, 500])("a webhook that answers %i has not received the alert", async (status) => {
  const server = await receiver((response) => response.writeHead(status, { location: "/elsewhere" }).end());
  const channel = webhookChannel({ url: server.url, secrets: [], clock: systemClock, style });
  onTestFinished(() => channel.close());
  await expect(channel.send(alert, never)).rejects.toThrow(String(status));
  expect(server.requests).toHaveLength(1);
});

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  readonly text: string;
}

/** A real mail server that stores the mails it receives. */
async function mailServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) =>
      password === "right" ? done(null, { user: username ?? "" }) : done(new Error("wrong password")),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          isSecure: session.secure,
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  // The address is a string only for servers on a pipe; this one has a port.
  return { mails, port: (server.server.address() as AddressInfo).port };
}

const people = { from: "adapter@example.com", to: ["it@example.com", "shift@example.com"] };

test("a mail names the problem in its subject, and order, event, last answer and timeline in its text", async () => {
  const { mails, port } = await mailServer();
  const options = { ...people, host: "127.0.0.1", port, security: "none" as const };
  const channel = mailChannel({ options, style: { ...style, language: "de" } });
  onTestFinished(() => channel.close());
  await channel.send(alert, never);
  expect(mails).toMatchObject([{ from: "adapter@example.com", to: people.to }]);
  const text = unfolded(mails[0]?.text ?? "");
  expect(text).toMatch(/^Subject: \S*Alarm:_erp_hat_1_Ereignis_abgelehnt/m);
  expect(text).toContain(`Message-ID: <${alert.id}@crossdock>`);
  expect(text).toContain("Auftrag 47/11, Eintrag 41: 3 × A-1 put on the wall (confirmPutWallPlacement)");
  expect(text).toContain("Letzte Antwort: 422: order is closed");
  expect(text).toContain("Verlauf: https://adapter.example/wms/admin/orders/47%2F11/timeline?format=text");
  expect(text).toContain("Seit: 2026-01-05 09:00");
});

/** The text as a mail program shows it: folded lines joined, encoded characters decoded. */
function unfolded(mail: string): string {
  const joined = mail.replace(/=\r\n/g, "").replace(/\r\n[ \t]/g, " ");
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

test("the mail channel logs in over TLS and trusts the configured authority", async () => {
  const folder = temporaryFolder();
  const ca = authority(folder);
  const issued = ca.issue("localhost", { alternatives: "DNS:localhost,IP:127.0.0.1", use: "server" });
  const { mails, port } = await mailServer({
    cert: readFileSync(issued.cert, "utf8"),
    key: readFileSync(issued.key, "utf8"),
    disabledCommands: [],
  });
  const login = { ...people, host: "localhost", port, security: "starttls" as const, username: "adapter" };
  const trusted = { ...login, ca: readFileSync(ca.file, "utf8"), password: "right" };
  const send = (options: Parameters<typeof mailChannel>[0]["options"]) => {
    const channel = mailChannel({ options, style });
    onTestFinished(() => channel.close());
    return channel.send(alert, never);
  };
  await send(trusted);
  expect(mails).toMatchObject([{ user: "adapter", isSecure: true }]);
  await expect(send({ ...login, password: "right" })).rejects.toThrow(/certificate/);
  await expect(send({ ...trusted, password: "wrong" })).rejects.toThrow(/wrong password|Invalid login/);
  expect(mails).toHaveLength(1);
});

test("the mail channel trusts the authorities of NODE_EXTRA_CA_CERTS beside the configured one", async () => {
  const ca = authority(temporaryFolder());
  const issued = ca.issue("localhost", { alternatives: "DNS:localhost,IP:127.0.0.1", use: "server" });
  const { mails, port } = await mailServer({
    cert: readFileSync(issued.cert, "utf8"),
    key: readFileSync(issued.key, "utf8"),
    disabledCommands: [],
    authOptional: true,
  });
  const other = readFileSync(authority(temporaryFolder()).file, "utf8");
  const options = { ...people, host: "localhost", port, security: "starttls", ca: other };
  // Node reads the variable when it starts.
  const program = `
    const { mailChannel } = await import(${JSON.stringify(new URL("mail-channel.ts", import.meta.url).href)});
    const channel = mailChannel(${JSON.stringify({ options, style })});
    await channel.send(${JSON.stringify(alert)}, new AbortController().signal);
    channel.close();`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca.file };
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env });
  expect(mails).toMatchObject([{ isSecure: true }]);
});

test("no password is sent to a server without TLS", async () => {
  const { mails, port } = await mailServer();
  const options = {
    ...people,
    host: "127.0.0.1",
    port,
    security: "starttls" as const,
    username: "u",
    password: "right",
  };
  const channel = mailChannel({ options, style });
  onTestFinished(() => channel.close());
  await expect(channel.send(alert, never)).rejects.toThrow(/STARTTLS/i);
  expect(mails).toEqual([]);
});

test("a line break in an answer or an order adds no header to the mail", async () => {
  const { mails, port } = await mailServer();
  const channel = mailChannel({ options: { ...people, host: "127.0.0.1", port, security: "none" }, style });
  onTestFinished(() => channel.close());
  const text = say("alarms.refused", { target: "erp\r\nBcc: thief@example.com", count: 1 });
  await channel.send({ ...alert, alarm: { ...alert.alarm, text } }, never);
  expect(mails[0]?.to).toEqual(people.to);
  const [headers = ""] = (mails[0]?.text ?? "").split("\r\n\r\n");
  expect(headers).not.toMatch(/^Bcc:/m);
});

/** Sends through a channel whose behaviour the test decides. */
function sending(attempt: (position: number, alert: Alert) => void) {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const file = openAlarmFile({ dataFolder: temporaryFolder(), log: silentLog });
  const sent: string[] = [];
  let position = 0;
  const channel: AlertChannel = {
    send: async (one) => {
      position += 1;
      attempt(position, one);
      sent.push(one.id);
    },
    close: () => {},
  };
  const sender = alertSender({ file, channels: () => new Map([["email", channel]]), clock, timers, log: silentLog });
  onTestFinished(async () => {
    await sender.stop();
    file.close();
  });
  const queue = (...ids: string[]) => {
    file.store(
      [],
      ids.map((id) => ({ ...alert, id, at: clock.now() })),
      ["email"],
    );
    sender.send();
  };
  return { timers, file, sent, queue, tries: () => position };
}

test("an alert that fails is retried later, and later alerts wait: the end of an alarm is never reported before its beginning", async () => {
  const { timers, sent, queue, tries } = sending((position) => {
    if (position <= 2) throw new Error("the mail server is away");
  });
  queue("a", "b");
  await timers.settle();
  expect([tries(), sent]).toEqual([1, []]);
  await timers.pass(15_000);
  expect([tries(), sent]).toEqual([2, []]);
  await timers.pass(30_000);
  expect(sent).toEqual(["a", "b"]);
});

test("an alert that could not be sent for three days is dropped, and the next one is sent", async () => {
  const { timers, sent, queue, file } = sending((_position, { id }) => {
    if (id === "a") throw new Error("no such mailbox");
  });
  queue("a");
  await timers.pass(2 * 86_400_000);
  queue("b");
  expect(file.waitingCount()).toBe(2);
  await timers.pass(86_400_000 + 7_200_000);
  expect([sent, file.waitingCount()]).toEqual([["b"], 0]);
});
