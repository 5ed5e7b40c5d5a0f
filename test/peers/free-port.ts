import { createServer } from "node:net";

/** Below the ports that systems give to whoever asks for any: nobody else gets one of these before it is used. */
const lowest = 20_000;
const highest = 32_000;

/** A port that nobody listens on, and that no other test is given by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
