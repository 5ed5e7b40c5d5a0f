/** The one list of words that mark a secret. All texts that are stored, logged or passed on are masked by it. */
const secretName =
  /passw(or)?[dt]|kennwort|passphrase|pwd|secret|token|credential|api[-_]?key|private[-_]?key|authori[sz]ation|cookie|session[-_]?id$|^keys$|^x-[\w-]*key$|(?:subscription|functions|access|auth)[-_]?key$/i;
/** A name, an address or a file name is not a secret. */
const plainName = /(name|header|param|path|url|file|(?<!session[-_]?)id|member|scheme|idempotency-key)$/i;

/** Whether a member of this name holds a secret. */
export const isSecretName = (name: string): boolean => secretName.test(name) && !plainName.test(name);

const secretHeader = /signature|csrf|xsrf|^session$|^x-.*-session$/i;

/** Whether a header of this name holds a secret. A signature is one: it lets others send the same request again. */
export const isSecretHeader = (name: string): boolean => isSecretName(name) || secretHeader.test(name);

const secretParameter = /signature|^(?:sig|key|auth)$/i;

/**
 * Whether a parameter of an address holds a secret. In a body, some of these names have another meaning. `code` is a key
 * of some cloud services; `Code` is what was scanned, as the contract calls it.
 */
export const isSecretParameter = (name: string): boolean =>
  isSecretName(name) || secretParameter.test(name) || name === "code";

const hint = /passw|kennwort|passphrase|pwd|secret|token|credential|key|authori[sz]ation|cookie|session/i;

/** Whether a text may contain the name of a secret. If not, nobody need look for its members. */
export const mayNameSecrets = (text: string): boolean => hint.test(text);
