import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { escapeHtml } from "../model/words.ts";

/** The pages, and the script and style sheet of each. */
const PAGES = { details: "page", table: "page", graph: "graph" } as const;

/** The document of a page. It loads nothing from elsewhere; only a graph is laid out by a worker, of the page's own code. */
export function pageHtml(webview: vscode.Webview, root: vscode.Uri, page: keyof typeof PAGES, title: string): string {
  const nonce = randomBytes(16).toString("base64");
  const at = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'${page === "graph" ? "; worker-src blob:" : ""}`;
  const bundle = PAGES[page];
  const messages = JSON.stringify(vscode.l10n.bundle ?? {});
  return `<!DOCTYPE html>
<html lang="${escapeHtml(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${at(`${bundle}.css`)}">
<title>${escapeHtml(title)}</title>
</head>
<body data-page="${page}" data-messages="${escapeHtml(messages)}"><script nonce="${nonce}" src="${at(`${bundle}.js`)}"></script></body>
</html>`;
}
