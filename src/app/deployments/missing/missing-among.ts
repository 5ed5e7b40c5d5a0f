import type { ServedDeployment, ServingProcess } from "../../../replication/postgres/processes.ts";

/** A deployment that other processes serve, and of which this one has no configuration. */
export interface MissingDeployment extends ServedDeployment {
  readonly basePath: string;
  /** Absent: reached under every host name. */
  readonly hosts?: readonly string[];
}

/** Said to people wherever it is noticed. */
export const missingRemedy =
  "Bring its configuration and key to this machine and reload the process: it cannot take over what it does not know.";

export interface Together {
  readonly processes: readonly ServingProcess[];
  readonly served: readonly ServedDeployment[];
}

/**
 * Returns what is missing here. Only processes count that have a deployment in common with this one: others use the same
 * database for deployments that are none of its business.
 */
export function missingAmong(
  isConfigured: (deployment: string) => boolean,
  { processes, served }: Together,
): MissingDeployment[] {
  const known = new Set([
    ...processes.filter(({ follows }) => follows.some(isConfigured)).map(({ name }) => name),
    ...served.filter(({ name }) => isConfigured(name)).map(processOf),
  ]);
  return served
    .filter((one) => !isConfigured(one.name) && known.has(processOf(one)))
    .map((one) => {
      const hosts = processes.flatMap((process) => process.hosts).find(({ name }) => name === one.name)?.hosts;
      return { ...one, basePath: basePathIn(one), ...(hosts === undefined ? {} : { hosts }) };
    });
}

const processOf = ({ owner }: ServedDeployment): string => owner.split("/", 1)[0] ?? "";

const basePathIn = ({ ownerUrl }: ServedDeployment): string => new URL(ownerUrl).pathname.replace(/\/+$/, "");
