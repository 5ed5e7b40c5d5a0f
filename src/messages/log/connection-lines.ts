import { linesOf, nothingToDo } from "./log-line.ts";

const seeSystem =
  "See whether the external system runs and is reached from this machine: `crossdock check`, `crossdock doctor`.";
const freeDisk = "See whether the disk is full or read-only: `crossdock doctor`.";

export const connectionLines = [
  ...linesOf("connectors", {
    "CD-301": ["a poll setting is allowed but probably not meant", "Read `warning` and change the setting it names."],
    "CD-302": [
      "no time can be read from any polled record; the poll reads everything from its start each time",
      "Correct `since.path` of the poll: `path` says where it looked.",
    ],
    "CD-303": ["poll failed; retrying at the next interval", seeSystem],
    "CD-304": [
      "nothing found: the requested value does not fit the type of the column",
      "Nothing, if somebody scanned a code of another kind; otherwise cast the column in the query.",
    ],
    "CD-305": ["the database already has this entry; nothing was changed", nothingToDo],
    "CD-306": [
      "the update in the answer was ignored",
      "`reason` says what is wrong with the answer of the receiver; correct it there.",
    ],
    "CD-307": [
      "a row has a time in the future; the next poll does not start from it, so that no change is missed",
      "Compare the clocks of the database and of this machine; correct the row if its time is a mistake.",
    ],
    "CD-308": [
      "the poll column gives no place to continue from; each poll reads everything from the start",
      "`reason` says what the column holds; name a column in `since` that grows with every change.",
    ],
    "CD-311": [
      "the file of this marker was removed or rewritten; a new marker is needed",
      "Let the sender write the marker again after the file is complete.",
    ],
    "CD-312": [
      "importing a file that another adapter claimed and abandoned",
      "Nothing, if that adapter was stopped on purpose.",
    ],
    "CD-313": ["file not imported: its name cannot be used; rename the file", "Rename the file."],
    "CD-314": ["file import works again", nothingToDo],
    "CD-315": [
      "file import failed; it is retried",
      "Look at `reason`: folder, login, rights of the server with the files.",
    ],
    "CD-316": ["file import postponed: the adapter cannot store data at the moment", freeDisk],
    "CD-317": ["file imported", nothingToDo],
    "CD-318": ["file could not be read", "Look at the error; send the file again if it was cut."],
    "CD-319": [
      "file refused; the reasons are in the file beside it",
      "Open the file with the reasons, correct the rows and put the file in again.",
    ],
    "CD-320": [
      "file refused; the reasons could not be written beside it",
      "Make room for the error folder. The reasons are in this message; correct the rows and put the file in again.",
    ],
  }),
  ...linesOf("sdk", {
    "CD-331": [
      "a full comparison found and imported records that the poll had missed; increase overlapSeconds, or read pages in a fixed order",
      "Increase `overlapSeconds` of the poll, or sort the pages of the external system by a fixed column.",
    ],
    "CD-332": [
      "full comparison failed; polling continues",
      "If it repeats, look at the error: the external system did not answer.",
    ],
  }),
  ...linesOf("queries", {
    "CD-341": ["the external system could not answer", seeSystem],
    "CD-342": [
      "the query failed unexpectedly",
      "The operator was shown `reference`. Look at the error; a module of your own may have thrown it.",
    ],
    "CD-343": ["the numbers of served orders could not be stored", freeDisk],
  }),
  ...linesOf("fallback", {
    "CD-351": ["the external system is too slow; fallback data is used where available", seeSystem],
    "CD-352": ["the external system cannot be reached; fallback data is used where available", seeSystem],
    "CD-353": ["the external system answers again", nothingToDo],
    "CD-354": ["fallback data could not be read", freeDisk],
    "CD-355": ["fallback answers could not be stored", freeDisk],
    "CD-356": [
      "the list of orders is too long to be stored as fallback data",
      "Nothing at once; while the external system is down, its list is empty. Let it offer fewer orders.",
    ],
    "CD-357": ["the fallback orders could not be stored", freeDisk],
    "CD-358": ["the fallback data cannot be read; it is deleted and collected again", nothingToDo],
    "CD-359": ["fallback data beyond the limits of this version was deleted", nothingToDo],
  }),
  ...linesOf("server", {
    "CD-361": [
      "the request failed",
      "The caller was shown `reference`. Look at the error; if it repeats, ask for help with it.",
    ],
    "CD-362": [
      "deliveries are paused",
      "Resume them when the external system is ready: in the console, or by `POST /admin/targets/NAME/resume`.",
    ],
    "CD-363": ["deliveries continue", nothingToDo],
    "CD-364": ["signed in to the console", nothingToDo],
    "CD-365": [
      "the limit of stored delivery ids is exceeded; some signed deliveries could be accepted twice",
      "Let the sender keep its time window short, or use fewer ids.",
    ],
    "CD-366": ["the ids of signed deliveries could not be stored", freeDisk],
    "CD-367": [
      "a push was stored, but no list serves it",
      "Read `warning`: forward the topic with `platform.forward`, or refuse it with `serve.unservedPushes`.",
    ],
    "CD-368": ["the identity provider cannot be used", "Look at the error: issuer, network, certificate, client id."],
    "CD-369": [
      "a sign-in by the identity provider failed",
      "Look at the error; a code that is used twice is refused too.",
    ],
    "CD-370": [
      "somebody whom the identity provider knows has no role here",
      "Give the person a role by `console.oidc.roles`, or nothing if they should have none.",
    ],
    "CD-371": ["signed in to the console by the identity provider", nothingToDo],
    "CD-372": ["the log level of a room was changed", nothingToDo],
    "CD-373": ["the requests of an order are logged", nothingToDo],
  }),
];
