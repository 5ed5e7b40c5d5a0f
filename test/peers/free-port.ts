import { type AddressInfo, createServer } from "node:net";

/** A port that nobody listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      // A server on a port has an address of this kind.
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
