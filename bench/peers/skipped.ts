/** Why a peer cannot be measured on this machine. */
export class Skipped extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Skipped";
  }
}

/** Throws `Skipped` if a package is missing, because not every peer is installed everywhere. */
export function needPackage(name: string): void {
  try {
    import.meta.resolve(name);
  } catch {
    throw new Skipped(`the package ${name} is not installed`);
  }
}
