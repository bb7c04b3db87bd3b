// One file to hand on: the description alone, or a page with all that is shown, which needs no server.

import { pageFile } from "./api.js";
import { save } from "./dom.js";

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** Save the description. */
export function saveDescription(version) {
  save(`${version.stem}.py`, "text/x-python", version.text);
}

/** Save a page that holds a snapshot: it opens from the disk and asks no network. */
export async function savePage(snapshot) {
  save(`${snapshot.now.stem}-explorer.html`, "text/html", await pageOf(snapshot));
}

/** The text of that page. */
export async function pageOf(snapshot) {
  const [style, script] = await Promise.all([pageFile("style.css"), pageFile("page.js")]);
  // Within a script element no text may begin what ends it.
  const data = JSON.stringify(snapshot).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const code = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const title = `${snapshot.now.facts?.name ?? snapshot.now.stem}: Cipherassay explorer`.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">',
    `<title>${title}</title>`,
    `<style>\n${style}</style>\n</head>\n<body>`,
    `<script type="application/json" id="snapshot">${data}</script>`,
    `<script>${code}</script>\n</body>\n</html>\n`,
  ].join("\n");
}

/** What a saved page holds; null in the explorer itself. */
export function snapshotHere() {
  const element = document.getElementById("snapshot");
  return element ? JSON.parse(element.textContent) : null;
}
