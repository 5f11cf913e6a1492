/** The name by which the editor keeps the panel, also over a restart. */
export const panelType = 'kubeBackoff.panel';

/** The page of the panel: one script and one style sheet of ours, and nothing else may run or load. */
export function panelHtml(page: {
  readonly script: string;
  readonly style: string;
  readonly cspSource: string;
  readonly nonce: string;
  readonly language: string;
}): string {
  const { script, style, cspSource, nonce, language } = page;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${attribute(policy)}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Kube Backoff</title>
    <link rel="stylesheet" href="${attribute(style)}" />
  </head>
  <body>
    <script type="module" nonce="${attribute(nonce)}" src="${attribute(script)}"></script>
  </body>
</html>
`;
}

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Chance that nobody can foresee: 128 bits, as the content security policy asks for. */
export function randomNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
