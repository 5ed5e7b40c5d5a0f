import { linesOf, nothingToDo } from "./log-line.ts";

const freeDisk = "Free disk space; `crossdock doctor` shows what the data folder needs.";
const readLog =
  "Look at the error in the line. If it repeats, run `crossdock doctor` and ask for help with a support bundle.";

export const processLines = [
  ...linesOf("app", {
    "CD-101": ["opened", nothingToDo],
    "CD-102": ["closed", nothingToDo],
    "CD-103": [
      "not everything could be closed after the failed start",
      "Mend what made the start fail, which is printed after this line.",
    ],
    "CD-104": [
      "a side file of the data folder is damaged or missing",
      "Read `notice`: it says what was lost or could not be checked. Look at the disk, and whether something else removes or writes files in the folder. If the loss matters, restore a backup: docs/how-to/backup.md.",
    ],
    "CD-105": [
      "a setting is allowed but probably not meant",
      "Read `warning` and change the setting it names, or leave it if it is meant.",
    ],
    "CD-106": ["the certificates were read again", nothingToDo],
    "CD-107": [
      "the new certificates cannot be used; the old ones stay in use",
      "Look at the files of `platform.tls`: certificate and key must belong together and be readable for the adapter's user.",
    ],
    "CD-115": [
      "the certificate is not valid at this time; clients refuse the connection",
      "Renew the certificate of `platform.tls`, or set the clock of the machine: `validFrom` and `validUntil` are in the line.",
    ],
    "CD-108": [
      "an alert could not be sent for three days; it is dropped",
      "Mend the channel named in the line and test it: `POST /admin/alarms/test`, or the console's settings.",
    ],
    "CD-109": [
      "an alert could not be sent; it will be retried",
      "If it repeats, look at the channel named in the line: address, login, certificate.",
    ],
    "CD-110": ["alerts could not be sent", readLog],
    "CD-111": ["the configuration was changed from the console", nothingToDo],
    "CD-113": [
      "the configuration file could not be written from the console",
      "Copy the change from the console into the file, or let the adapter's user write the file and its folder.",
    ],
    "CD-112": [
      "the state of the adapter cannot be reported to systemd; without systemd-notify use Type=exec in the unit",
      "Install systemd-notify, or use `Type=exec` and no `WatchdogSec` in the unit.",
    ],
    "CD-114": [
      "what an interrupted restore or move has left cannot be removed",
      "Delete `folder`: nobody needs it any more, and it may be as large as the data.",
    ],
    "CD-121": ["the deployment is open", nothingToDo],
    "CD-130": ["the deployment is closed", nothingToDo],
    "CD-122": [
      "the deployment could not be opened; it is tried again",
      "Look at the error in the line; the other deployments are not affected.",
    ],
    "CD-123": ["the deployment is handed over to another process", nothingToDo],
    "CD-138": ["this process was told to take the deployment over", nothingToDo],
    "CD-124": [
      "the new configuration of this deployment is refused; the old one stays in effect",
      "Correct the file of the deployment; `crossdock check --config FILE` shows what is wrong.",
    ],
    "CD-125": [
      "the changed configuration is refused; the old one stays in effect",
      "Correct the file of the deployment; `crossdock check --config FILE` shows what is wrong.",
    ],
    "CD-126": [
      "the deployment could not be opened",
      "Look at the error in the line; it is tried again with the next request. A damaged data folder: docs/how-to/backup.md.",
    ],
    "CD-127": ["the journal could not be read; the deployment stays open", readLog],
    "CD-128": ["the deployment could not be closed properly", readLog],
    "CD-129": [
      "the other processes are not known: PostgreSQL is not reached",
      "See whether PostgreSQL runs and is reached from this machine: `crossdock status`.",
    ],
    "CD-139": [
      "other processes serve a deployment of which this one has no configuration; its requests are passed on to them",
      "Bring the configuration and the key of `deployment` to this machine, then reload (`kill -HUP`): this process cannot take it over. Nothing, if the others are about to lose it as well.",
    ],
    "CD-131": ["this process is a standby", nothingToDo],
    "CD-132": [
      "the store cannot be used; it is tried again",
      "See whether PostgreSQL runs, and the login of `store`: `crossdock status`.",
    ],
    "CD-133": ["this process owns the deployment", nothingToDo],
    "CD-134": [
      "the deployment is lost; this process becomes a standby",
      "If no other process took over on purpose, look at the connection to PostgreSQL: `crossdock status`.",
    ],
    "CD-135": [
      "the local copy is damaged and is replaced",
      "Look at the disk; nothing is lost, PostgreSQL has everything.",
    ],
    "CD-136": [
      "this process could not serve the deployment; it becomes a standby",
      "Look at the error in the line; another process takes over, or this one tries again.",
    ],
    "CD-151": ["telemetry is sent to a collector", nothingToDo],
    "CD-152": [
      "a variable of OpenTelemetry is not understood",
      "`warning` names the variable and what is used instead; correct it and restart.",
    ],
    "CD-153": [
      "telemetry cannot be sent to the collector; what does not fit into the queue is dropped",
      "See whether the collector at `collector` runs and is reached from this machine; the adapter works without it.",
    ],
    "CD-154": ["telemetry is sent to the collector again", nothingToDo],
    "CD-155": [
      "the collector refused a part of the telemetry",
      "Look at the log of the collector; its limits may be too low.",
    ],
    "CD-156": ["the metrics could not be read for the collector", readLog],
    "CD-157": [
      "lines of the log were lost, because they could not be written",
      "The disk of the log was full: rotate the log, or give it more space. The adapter went on; `lines` were lost.",
    ],
    "CD-141": ["a request touched the watched order", nothingToDo],
    "CD-142": ["a delivery touched the watched order", nothingToDo],
    "CD-137": [
      "the store reports",
      "Read `notice`. Change a setting of PostgreSQL that it names; if PostgreSQL cannot be used, see whether it runs and is reached from this machine: `crossdock status`.",
    ],
  }),
  ...linesOf("cli", {
    "CD-201": ["a secret was replaced: the configuration is read again", nothingToDo],
    "CD-202": ["stopping", nothingToDo],
    "CD-203": ["stopped", nothingToDo],
    "CD-204": [
      "stopped before everything was closed",
      "Nothing is lost: what was answered is on disk. If it repeats, something holds connections open.",
    ],
    "CD-205": [
      "the new configuration is refused as a whole; the old one stays in effect",
      "Correct what `problems` names, then reload again; `crossdock check` shows it before.",
    ],
  }),
  ...linesOf("kit", {
    "CD-211": [
      "a file of the data folder is missing; an empty one was created",
      "`withoutIt` says what is lost. If it matters, restore a backup: docs/how-to/backup.md.",
    ],
    "CD-212": [
      "a file of the data folder has lost its last changes",
      "`withoutIt` says what is lost. Look at the disk, and whether something else writes into the folder.",
    ],
    "CD-213": [
      "a file of the data folder is damaged; it was renamed and an empty one was created",
      "`withoutIt` says what is lost. Look at the disk; keep the renamed file for support.",
    ],
  }),
  ...linesOf("journal", {
    "CD-221": ["the disk of the data folder is nearly full", freeDisk],
    "CD-222": ["the disk of the data folder is full: new events are refused until there is space again", freeDisk],
    "CD-224": ["the disk of the data folder has enough space again", nothingToDo],
    "CD-223": [
      "the free space of the data folder cannot be read",
      "See whether the data folder is still mounted, and readable for the adapter's user. It is logged once until the space can be read again.",
    ],
  }),
  ...linesOf("runtime", {
    "CD-231": ["a source could not be stopped properly", readLog],
    "CD-232": [
      "changed settings that need a restart",
      "Restart the adapter when it suits; the old values are used until then.",
    ],
    "CD-233": ["the new configuration is in effect", nothingToDo],
    "CD-234": ["a resource of a replaced configuration could not be closed", readLog],
  }),
];
