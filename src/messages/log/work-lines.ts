import { linesOf, nothingToDo } from "./log-line.ts";

const freeDisk = "See whether the disk is full or read-only: `crossdock doctor`.";

export const workLines = [
  ...linesOf("delivery", {
    "CD-401": [
      "entries are waiting for a target that is not configured",
      "Configure the connector again, or skip the entries: `crossdock journal list --target NAME`.",
    ],
    "CD-402": ["the journal could not be read; trying again", freeDisk],
    "CD-403": [
      "a delivery failed with an unexpected error",
      "Look at the error; a module of your own may have thrown it. The entry is tried again.",
    ],
    "CD-404": [
      "the delivery was already settled elsewhere; its result is dropped",
      "Nothing, unless it repeats: then two processes use the same data.",
    ],
    "CD-405": [
      "delivery failed permanently; operator action required",
      "Look at the entry with `crossdock journal show SEQ`, mend the cause, then retry, edit or skip it.",
    ],
    "CD-406": ["delivery failed; it will be retried", "Nothing at once; if it repeats, look at the external system."],
    "CD-407": ["delivered", nothingToDo],
    "CD-408": ["a delivery step could not be stored in the journal; trying again", freeDisk],
    "CD-409": ["the target answers again; deliveries continue", nothingToDo],
    "CD-410": [
      "the target is down; events wait while it is probed",
      "See whether the external system runs and is reached from this machine: `crossdock check`.",
    ],
  }),
  ...linesOf("intake", {
    "CD-421": ["records were put into quarantine", "Look at them: `crossdock quarantine list`."],
    "CD-422": ["the seen records could not be stored", freeDisk],
  }),
  ...linesOf("quarantine", {
    "CD-431": ["the quarantine could not be written", freeDisk],
    "CD-432": ["a record was dropped from quarantine", nothingToDo],
    "CD-433": ["the records that a push overrules could not be updated", freeDisk],
  }),
  ...linesOf("alarms", {
    "CD-441": ["alarms could not be stored", freeDisk],
    "CD-442": ["the alarm check failed", "Look at the error; alarms are looked for again in a minute."],
    "CD-443": ["alarm cleared", nothingToDo],
    "CD-444": ["alarm raised", "Do what docs/how-to/alarms.md says about the alarm named in the line."],
    "CD-445": ["alarm still active", "Do what docs/how-to/alarms.md says about the alarm named in the line."],
  }),
  ...linesOf("figures", {
    "CD-451": ["the figures of a minute could not be stored", freeDisk],
  }),
  ...linesOf("engine", {
    "CD-461": ["old entries could not be deleted; trying again", freeDisk],
  }),
  ...linesOf("store", {
    "CD-471": ["checked records were not noted", freeDisk],
    "CD-472": [
      "stored orders or items are beyond the limits of this version; they are kept back",
      "Send them again within the limits: docs/reference/behaviour.md.",
    ],
    "CD-473": ["stored records could not be checked; each is checked when it is served", freeDisk],
    "CD-474": [
      "an export column took too long; the rest of its cells stay empty",
      "Make the expression of the column simpler: `exportColumns`.",
    ],
    "CD-475": [
      "an export column could not be computed; its cell stays empty",
      "Correct the expression of the column: `exportColumns`.",
    ],
  }),
];
