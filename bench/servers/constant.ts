import { fastify } from "fastify";
import { operations } from "../../src/contract/operations.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

/** The minimum for a server on the same library: one route with a constant answer. */
const { body } = childSettings<{ body: string }>();

await serveJobs(async () => {
  const app = fastify({ keepAliveTimeout: 72_000, requestTimeout: 120_000 });
  app.get(operations.findWorkOrderByCode.path, (_request, reply) =>
    reply.header("content-type", "application/json; charset=utf-8").send(body),
  );
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { ready: { url }, close: () => app.close() };
});
