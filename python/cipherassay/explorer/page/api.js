// The server: documents, and runs as streams of JSON lines.

async function answered(response) {
  if (response.ok) return response;
  let said = `the server answers ${response.status}`;
  let error = null;
  try {
    error = (await response.json()).error;
    said = error.message;
  } catch {
    // what is no JSON says nothing more
  }
  throw Object.assign(new Error(said), { report: error });
}

/** What can be chosen and opened. */
export async function catalogue() {
  return (await answered(await fetch("api/catalogue"))).json();
}

/** A description: `name`, `stem`, `text`. */
export async function openDocument(name) {
  return (await answered(await fetch(`api/document/${encodeURIComponent(name)}`))).json();
}

/** A file of the page itself, for what is shared. */
export async function pageFile(name) {
  return (await answered(await fetch(`files/${name}`))).text();
}

/** Run a request and call `take` with each message, until the end or until `signal` aborts. */
export async function run(request, take, signal) {
  const response = await answered(
    await fetch("api/run", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
      signal,
    }),
  );
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  }
}
