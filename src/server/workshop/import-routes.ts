import type { FastifyInstance } from "fastify";
import { readQuery } from "../../contract/derive/match-route.ts";
import { FileType } from "../../contract/enums.ts";
import type { FileSettings } from "../../formats/import/file-settings.ts";
import { type FilePreview, type FileSubjectName, fileTemplate } from "../../formats/import/preview-file.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import type { Language } from "../../messages/languages.ts";
import { sendInTurns } from "../admin/admin-exchange.ts";
import type { AdminGate } from "../admin/admin-gate.ts";
import { adminProblem } from "../admin/admin-problem.ts";
import { writeAnswer } from "../contract/answer.ts";

/** Reads a file in the same way as the file endpoints. */
export type PreviewOf = (asked: {
  readonly subject: FileSubjectName;
  readonly bytes: Uint8Array;
  readonly fileType: FileType;
  readonly settings: FileSettings;
  readonly language: Language;
}) => Promise<FilePreview>;

export interface ImportRouteNeeds {
  readonly preview: PreviewOf;
  /** Called once per request. */
  readonly settings: () => FileSettings;
  readonly gate: AdminGate;
  readonly basePath: string;
  readonly newReference: () => string;
}

const bodyLimitBytes = 16 * 1024 * 1024;
const subjects: readonly FileSubjectName[] = ["workOrders", "items"];

/** Files for people: how a file would be read, and an empty file to fill in. Nothing is imported. */
export function importRoutes(app: FastifyInstance, needs: ImportRouteNeeds): void {
  const { preview, settings, gate, basePath, newReference } = needs;
  const queryOf = (url: string) => readQuery(url.split("?", 2)[1] ?? "");
  const subjectIn = (members: ReadonlyMap<string, string>) => subjects.find((one) => one === members.get("kind"));
  const wrongKind = () =>
    adminProblem({
      status: 400,
      detail: "Nothing was done.",
      errors: { kind: [`must be ${subjects.join(" or ")}`] },
      traceId: newReference(),
    });

  app.post(
    `${basePath}/admin/files/preview`,
    {
      bodyLimit: bodyLimitBytes,
      config: { takesFiles: true },
      onRequest: gate.routeCheck("POST /admin/files/preview"),
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
      const members = queryOf(request.url);
      const subject = subjectIn(members);
      if (subject === undefined) return writeAnswer(reply, wrongKind());
      const isJson = members.get("name")?.toLowerCase().endsWith(".json") === true;
      return await sendInTurns(
        reply,
        await preview({
          subject,
          // The parsers of this server give bytes, or nothing.
          bytes: (request.body as Uint8Array | undefined) ?? new Uint8Array(),
          fileType: isJson ? FileType.Json : FileType.Csv,
          settings: settings(),
          language: chooseLanguage(request.headers["accept-language"]),
        }),
      );
    },
  );

  app.get(
    `${basePath}/admin/files/template`,
    { onRequest: gate.routeCheck("GET /admin/files/template") },
    (request, reply) => {
      const subject = subjectIn(queryOf(request.url));
      if (subject === undefined) return writeAnswer(reply, wrongKind());
      const name = subject === "items" ? "items.csv" : "work-orders.csv";
      return reply
        .header("cache-control", "no-store")
        .header("x-content-type-options", "nosniff")
        .header("content-type", "text/csv; charset=utf-8")
        .header("content-disposition", `attachment; filename="${name}"`)
        .send(fileTemplate(subject, chooseLanguage(request.headers["accept-language"])));
    },
  );
}
