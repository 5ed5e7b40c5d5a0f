/**
 * The page at /docs. Addresses are relative, so that it works under any base path and behind a proxy that
 * strips one; `up` leads from the page to the adapter's root and `here` to the page's own files.
 */
export const docsPage = ({ up, here }: { up: string; here: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossdock API</title>
<link rel="icon" href="${here}favicon-32x32.png">
<link rel="stylesheet" href="${here}swagger-ui.css">
<link rel="stylesheet" href="${here}page.css">
</head>
<body>
<header>
<h1>Crossdock</h1>
<p>The adapter between a warehouse platform and the ERP, WMS or own software behind it. The platform calls the endpoints
under <em>Work orders</em>, <em>Processing</em>, <em>Items</em> and <em>Health</em>; they need no key of their own and are
kept safe by the network. Each answers HTTP 200 with an envelope whose result numbers are its own.</p>
<p>External systems push under <em>Inbound</em>, with the API key: choose <strong>Authorize</strong> below and paste it once,
or send it yourself as <code>Authorization: Bearer KEY</code> or <code>X-Api-Key: KEY</code>. The key is printed at the first
start and kept in the data folder, unless <code>CROSSDOCK_API_KEY</code> sets it.</p>
<p><a href="${up}openapi.json">openapi.json</a> describes all of it for tools. “Try it out” works on this very adapter: what
you send is real.</p>
</header>
<main id="reference" data-openapi="${up}openapi.json">
<noscript><p>This list needs JavaScript; <a href="${up}openapi.json">openapi.json</a> holds the same.</p></noscript>
</main>
<script src="${here}swagger-ui-bundle.js"></script>
<script src="${here}page.js"></script>
</body>
</html>
`;

/** A file of its own, since the page's policy allows no script inside it. */
export const docsScript = `const place = document.getElementById("reference");
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.openapi,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  // Otherwise a badge is fetched from an outside address.
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: false,
});
`;

export const docsStyle = `body { margin: 0; background: #fafafa; color: #1f2933; font-family: system-ui, sans-serif; }
header { background: #12324a; color: #f4f8fb; padding: 24px max(20px, calc((100% - 1420px) / 2)); }
header h1 { margin: 0 0 8px; font-size: 28px; }
header p { margin: 8px 0; max-width: 92ch; line-height: 1.5; }
header a { color: #9fd6ff; }
header code { background: #1d4763; border-radius: 3px; padding: 1px 5px; }
.swagger-ui .info { margin: 20px 0; }
.swagger-ui .scheme-container { box-shadow: none; padding: 12px 0; background: transparent; }
html.dark-mode body { background: #1c2022; color: #e4e6e6; }
`;
