/** What the rooms need of a logger; pino fits it. Fields first, so that a line can be searched by them. */
export interface Log {
  readonly debug: (fields: object, text: string) => void;
  readonly info: (fields: object, text: string) => void;
  readonly warn: (fields: object, text: string) => void;
  readonly error: (fields: object, text: string) => void;
}

const nothing = () => {};
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
