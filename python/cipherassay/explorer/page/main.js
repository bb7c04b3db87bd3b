// The page: it begins with what the server offers, or with the snapshot that a saved page holds.

import { catalogue } from "./api.js";
import { Explorer } from "./explorer.js";
import { h } from "./dom.js";
import { snapshotHere } from "./share.js";

async function begin() {
  const snapshot = snapshotHere();
  try {
    const known = snapshot ? snapshot.known : await catalogue();
    await new Explorer(document.body, known, snapshot).begin();
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    document.body.replaceChildren(h("p", { class: "empty" }, `The explorer did not begin: ${error.message}`));
    throw error;
  }
}

begin();
