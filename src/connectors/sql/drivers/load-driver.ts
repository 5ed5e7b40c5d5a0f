import { Fault } from "../../../sdk/fault.ts";

/** Optional libraries are loaded when a connector that needs one is opened, and not before. */
export async function loadDriver<Library>(name: string, load: () => Promise<Library>): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    throw new Fault("invalid", `this database needs the library ${name}: npm install ${name}`, { cause: error });
  }
}
