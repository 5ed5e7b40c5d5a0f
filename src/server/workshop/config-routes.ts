import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ActionLog, PersonDid } from "../../engine/audit/open-action-log.ts";
import type { Log } from "../../kit/log.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { bodyOf, sendInTurns } from "../admin/admin-exchange.ts";
import type { AdminGate } from "../admin/admin-gate.ts";
import { adminProblem } from "../admin/admin-problem.ts";
import { type QueryErrors, readOperator, readReason } from "../admin/read-decision.ts";
import { writeAnswer } from "../contract/answer.ts";
import type { ConfigEditor, GivenChange } from "./config-editor.ts";
import { inLanguage } from "./in-language.ts";

export interface ConfigRouteNeeds {
  readonly editor: () => Promise<ConfigEditor>;
  readonly gate: AdminGate;
  readonly log: Log;
  readonly basePath: string;
  readonly newReference: () => string;
  readonly actions: Pick<ActionLog, "add">;
}

type Members = Readonly<Record<string, unknown>>;

/** What is wrong with the request itself. No answer of the editor has this member. */
interface Malformed {
  readonly malformed: QueryErrors;
}
type Answer = object | Malformed;

type ConfigRoute = (editor: ConfigEditor, members: Members) => Promise<Answer>;

const mostChanges = 100;
const mostRecords = 20;
/** Larger than the description of any connector, and small enough to be read at once. */
const bodyLimitBytes = 128 * 1024;

const wrongRecords = { malformed: { records: [`must be a whole number from 0 to ${mostRecords}`] } };

const routes: Readonly<Record<string, ConfigRoute>> = {
  "GET /admin/config": (editor) => editor.show(),
  "GET /admin/config/connectable": (editor) => editor.connectable(),
  "GET /admin/config/history": async (editor) => ({ earlier: await editor.history() }),
  "POST /admin/config/propose": (editor, members) => withChanges(members, (changes) => editor.propose(changes)),
  "POST /admin/config/try": (editor, members) =>
    withChanges(members, async (changes) => {
      const { connector, records = 3 } = members;
      if (typeof connector !== "string") return { malformed: { connector: ["must be the name of a connector"] } };
      return isCount(records) ? await editor.tryConnector(changes, { name: connector, records }) : wrongRecords;
    }),
  "POST /admin/config/check": async (editor, { records = 1 }) =>
    isCount(records) ? await editor.check({ records }) : wrongRecords,
  "POST /admin/config/apply": (editor, members) =>
    withChanges(members, (changes) => withReason(members, (given) => editor.apply({ ...given, changes }))),
  "POST /admin/config/back": (editor, members) => withReason(members, (given) => editor.back(given)),
  "POST /admin/config/secrets": async (editor, { name, value }) => {
    // The name becomes the name of a file.
    if (typeof name !== "string" || !/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name)) {
      return { malformed: { name: ["must be 1 to 64 letters, digits, _ and -"] } };
    }
    if (typeof value !== "string" || value === "" || value.length > 65_536) {
      return { malformed: { value: ["must be a text of 1 to 65536 characters"] } };
    }
    return await editor.keepSecret(name, value);
  },
};

/** The configuration for people: what is in effect, what a change would do, and making a change. */
export function configRoutes(app: FastifyInstance, needs: ConfigRouteNeeds): void {
  const { editor, gate, basePath, newReference, actions } = needs;
  for (const [route, answer] of Object.entries(routes)) {
    const [method = "", path = ""] = route.split(" ");
    app.route({
      method,
      url: basePath + path,
      bodyLimit: bodyLimitBytes,
      onRequest: gate.routeCheck(route),
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
        const body = method === "GET" ? { members: {} } : bodyOf({ request, principal: gate.principalOf(request) });
        const result = "errors" in body ? { malformed: body.errors } : await answer(await editor(), body.members);
        if (isMalformed(result)) {
          const traceId = newReference();
          return writeAnswer(
            reply,
            adminProblem({ status: 400, detail: "Nothing was done.", errors: result.malformed, traceId }),
          );
        }
        if (isRefusal(result)) {
          return writeAnswer(reply, adminProblem({ status: 409, detail: result.refused, traceId: newReference() }));
        }
        const did = "members" in body ? doneBy(route, body.members, result) : null;
        if (did !== null) await actions.add(did);
        // Problems of the configuration are what the caller asked for, also if there is nothing else to show.
        return await sendInTurns(reply, inLanguage(result, chooseLanguage(request.headers["accept-language"])));
      },
    });
  }
}

const changing: Readonly<Record<string, PersonDid["action"]>> = {
  "POST /admin/config/apply": "config",
  "POST /admin/config/back": "config-back",
  "POST /admin/config/secrets": "secret",
};
const longestSubject = 300;

/** What is written to the audit; null if nothing was changed. */
function doneBy(route: string, members: Members, result: Answer): PersonDid | null {
  const action = changing[route];
  // A change with problems was not made.
  if (action === undefined || "problems" in result) return null;
  const by = readOperator(members);
  const { changes, name, reason } = members;
  const paths = Array.isArray(changes) ? changes.filter(isChange).map(({ path }) => path.join(".")) : [];
  return {
    operator: "errors" in by ? "" : by.operator,
    action,
    subject: (typeof name === "string" ? name : paths.join(", ")).slice(0, longestSubject),
    reason: typeof reason === "string" ? reason : null,
  };
}

const isMalformed = (answer: Answer): answer is Malformed => "malformed" in answer;
const isRefusal = (answer: Answer): answer is { readonly refused: string } => "refused" in answer;

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= mostRecords;

async function withChanges(
  { changes }: Members,
  run: (changes: readonly GivenChange[]) => Promise<Answer>,
): Promise<Answer> {
  const isList = Array.isArray(changes) && changes.length <= mostChanges;
  if (!isList || !changes.every(isChange)) {
    const text = `must be a list of at most ${mostChanges} objects, each with a path (a list of names) and, unless it is removed, a value or its yaml`;
    return { malformed: { changes: [text] } };
  }
  return await run(changes);
}

const isChange = (value: unknown): value is GivenChange => {
  if (typeof value !== "object" || value === null || !("path" in value)) return false;
  const { path } = value;
  if ("yaml" in value && typeof value.yaml !== "string") return false;
  return Array.isArray(path) && path.length > 0 && path.length <= 20 && path.every((name) => typeof name === "string");
};

async function withReason(
  members: Members,
  run: (given: { operator: string; reason: string; version: string }) => Promise<Answer>,
): Promise<Answer> {
  const read = readReason(members);
  if ("errors" in read) return { malformed: read.errors };
  const { version } = members;
  if (typeof version !== "string")
    return { malformed: { version: ["must be the version that the change was made for"] } };
  return await run({ ...read, version });
}
