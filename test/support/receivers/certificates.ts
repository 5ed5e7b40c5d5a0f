import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Authority {
  readonly file: string;
  /** Makes a certificate and its key, and returns their paths. */
  readonly issue: (
    name: string,
    options: { alternatives: string; use: "server" | "client" },
  ) => { cert: string; key: string };
}

const openssl = (folder: string, ...args: string[]) =>
  execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });

/** A certificate authority that uses the real openssl. */
export function authority(folder: string, name = "authority"): Authority {
  const file = join(folder, `${name}.pem`);
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", `/CN=${name}`, "-days", "2"];
  openssl(folder, "req", "-x509", ...curve, ...subject, "-keyout", `${name}.key`, "-out", file);
  return {
    file,
    issue: (holder, { alternatives, use }) => {
      const base = `${name}-${holder}`;
      openssl(folder, "req", ...curve, "-subj", `/CN=${holder}`, "-keyout", `${base}.key`, "-out", `${base}.csr`);
      const extensions = `subjectAltName=${alternatives}\nextendedKeyUsage=${use}Auth\n`;
      writeFileSync(join(folder, `${base}.ext`), extensions);
      const signer = ["-CA", file, "-CAkey", `${name}.key`, "-CAcreateserial", "-days", "2"];
      openssl(
        folder,
        "x509",
        "-req",
        "-in",
        `${base}.csr`,
        ...signer,
        "-extfile",
        `${base}.ext`,
        "-out",
        `${base}.pem`,
      );
      return { cert: join(folder, `${base}.pem`), key: join(folder, `${base}.key`) };
    },
  };
}

export const pemOf = (file: string): string => readFileSync(file, "utf8");
