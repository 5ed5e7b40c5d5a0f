import { connect, createServer, type Socket } from "node:net";

/** A connection to PostgreSQL that can lose what goes through it. */
export interface LooseWire {
  readonly url: string;
  /** The next request arrives, its answer does not: the connection breaks instead. */
  readonly loseNextAnswer: () => void;
  /** Nothing gets through any more, and nobody is told. */
  readonly cut: () => void;
  readonly mend: () => void;
  /** What comes back is late by so much. */
  readonly delay: (ms: number) => void;
  /** New connections lead to another server; the present ones break. */
  readonly leadTo: (url: string) => void;
  readonly lostAnswers: () => number;
  readonly close: () => void;
}

export async function looseWire(url: string): Promise<LooseWire> {
  let { hostname, port } = new URL(url);
  const pairs = new Set<Socket>();
  let isLosing = false;
  let isCut = false;
  let lost = 0;
  let delayMs = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    /** The client has asked for something since the answer is to be lost. */
    let hasAsked = false;
    for (const one of [near, far]) {
      pairs.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        pairs.delete(one);
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (chunk) => {
      if (isCut) return;
      if (isLosing) hasAsked = true;
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (isCut) return;
      if (isLosing && hasAsked) {
        isLosing = false;
        lost++;
        near.destroy();
        return;
      }
      if (delayMs > 0) setTimeout(() => near.write(chunk), delayMs);
      else near.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakAll = () => {
    for (const one of pairs) one.destroy();
  };
  const through = new URL(url);
  // A server on a port has an address of this kind.
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    loseNextAnswer: () => {
      isLosing = true;
    },
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
      breakAll();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    leadTo: (other) => {
      ({ hostname, port } = new URL(other));
      breakAll();
    },
    close: () => {
      breakAll();
      server.close();
    },
    lostAnswers: () => lost,
  };
}
