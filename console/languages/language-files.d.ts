/** Made by the build: the languages other than English, each loaded when it is asked for. */
declare module "virtual:language-files" {
  interface LanguageFile {
    readonly ofConsole: Readonly<Record<string, string>>;
    readonly ofPhrases: Readonly<Record<string, string>>;
  }
  export const files: Readonly<Record<string, () => Promise<LanguageFile>>>;
}
