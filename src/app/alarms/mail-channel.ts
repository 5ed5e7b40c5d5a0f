import { getCACertificates } from "node:tls";
import type { Transporter } from "nodemailer";
import type { AlarmOptions } from "../../config/sections/alarm-options.ts";
import { type Alert, type AlertChannel, type AlertStyle, timelineLink, wallTime } from "../../engine/alarms/alarm.ts";
import { localise } from "../../messages/localise.ts";
import { type Message, say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";

type MailOptions = NonNullable<AlarmOptions["email"]>;

/** Mail programs cut longer subjects. */
const longestSubject = 180;
const patienceMs = 15_000;

/** Sends one mail per alert, in plain text. */
export function mailChannel({ options, style }: { options: MailOptions; style: AlertStyle }): AlertChannel {
  let opened: Promise<Transporter> | undefined;
  return {
    send: async (alert, signal) => {
      opened ??= openTransport(options);
      const transport = await opened.catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      const sending = transport.sendMail({ ...mail(alert, style), from: options.from, to: [...options.to] });
      await Promise.race([sending, aborted(signal)]);
    },
    // If the connection failed to open, the alert that needed it reported that, and there is nothing to close.
    close: () => void opened?.then((transport) => transport.close()).catch(() => {}),
  };
}

async function openTransport({ host, port, security, ca, username, password }: MailOptions): Promise<Transporter> {
  const { createTransport } = await import("nodemailer").catch((error: unknown) => {
    throw new Fault("invalid", "e-mails need the library nodemailer: npm install nodemailer", { cause: error });
  });
  return createTransport({
    host,
    port: port ?? (security === "tls" ? 465 : 587),
    secure: security === "tls",
    // Without this, everything including the password would be sent unencrypted to a server that hides STARTTLS.
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(username === undefined || password === undefined ? {} : { auth: { user: username, pass: password } }),
    ...(ca === undefined ? {} : { tls: { ca: [...getCACertificates("default"), ca] } }),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    // The text contains data of orders and other systems; without these settings it could name a local file to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function mail({ id, change, alarm }: Alert, { language, timeZone, publicUrl }: AlertStyle) {
  const { text, since, entries } = alarm;
  const words = (message: Message) => localise(message, language);
  const headline = words(say("alarms.alert", { change, text: words(text) }));
  const about = entries.map(({ orders, seq, event, topic, lastAnswer }) =>
    [
      words(say("alarms.entry", { orders: orders.join(", "), seq, event, topic })),
      ...(lastAnswer === "" ? [] : [words(say("alarms.lastAnswer", { answer: lastAnswer }))]),
      ...orders.map((order) => words(say("alarms.timeline", { link: timelineLink(publicUrl, order) }))),
    ].join("\n"),
  );
  const body = [headline, words(say("alarms.since", { time: wallTime(since, timeZone) })), ...about, publicUrl];
  return {
    subject: oneLine(headline),
    text: `${body.join("\n\n")}\n`,
    // The same id on every attempt, so that mail programs show a message that arrived twice only once.
    messageId: `<${id}@crossdock>`,
  };
}

const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, " ").slice(0, longestSubject);

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Fault("unreachable", "sending the mail was aborted")), {
      once: true,
    });
  });
