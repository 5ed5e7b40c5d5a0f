import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A network cable between the adapter and a server, which can be pulled out and put in again. */
export async function cable(target: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((near) => {
    const far = keep(connect(target.port, target.host));
    keep(near).pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  // A server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    pullOut: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    putIn: () => listen(port),
  };
}
