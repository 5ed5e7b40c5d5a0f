import { createServer } from "node:http";

/** Stands for the platform's own interface: takes everything once and prints it. */
export function platformInterface(take: (request: string, body: string) => void) {
  const seen = new Set<string>();
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      // The same on every attempt: what is known already is not taken again.
      const id = String(request.headers["idempotency-key"]);
      if (!seen.has(id)) take(`${request.method} ${request.url}`, Buffer.concat(chunks).toString());
      seen.add(id);
      response.writeHead(200, { "content-type": "application/json" }).end('{"status":"stored"}');
    });
  });
}

// As a program it prints what it takes.
if (import.meta.main) {
  const { PLATFORM_PORT: port = "9100" } = process.env;
  const server = platformInterface((request, body) => console.log(request, body));
  server.listen(Number(port), "127.0.0.1", () => console.log(`the platform listens on http://127.0.0.1:${port}`));
}
