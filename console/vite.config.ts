import { resolve } from "node:path";
import { defineConfig } from "vite";
import { languagesApart } from "./languages/languages-apart.ts";

export default defineConfig({
  root: import.meta.dirname,
  // The server writes the path to these files into the page, so that they are found from every address.
  base: "./",
  publicDir: false,
  plugins: [languagesApart()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: resolve(import.meta.dirname, "../dist/console"),
    emptyOutDir: true,
    target: "es2022",
    // Inlined files would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
