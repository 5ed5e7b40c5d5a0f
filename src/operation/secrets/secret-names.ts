const secretName =
  /passw(or)?[dt]|kennwort|passphrase|pwd|secret|token|credential|api[-_]?key|private[-_]?key|authori[sz]ation|cookie|session[-_]?id$|^keys$|^x-[\w-]*key$|(?:subscription|functions|access|auth)[-_]?key$/i;
/** A name, an address or a file name is not a secret. */
const plainName = /(name|header|param|path|url|file|(?<!session[-_]?)id|member|scheme|idempotency-key)$/i;

/** Whether a member of this name holds a secret. */
export const isSecretName = (name: string): boolean => secretName.test(name) && !plainName.test(name);
