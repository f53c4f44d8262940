// Asking the server: one answer, a stream of answers, or events as they happen.

/** The answer to a question; an Error with the server's one line where there is none. */
export async function ask(path, content = undefined, signal = undefined) {
  const response = await send(path, content, signal);
  const answer = await response.json().catch(() => ({ error: `${response.status} ${response.statusText}` }));
  if (!response.ok) throw new Error(answer.error || response.statusText);
  return answer;
}

/** Each part of an answer, as it comes. */
export async function* parts(path, content, signal = undefined) {
  const response = await send(path, content, signal);
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error || response.statusText);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const part = JSON.parse(line);
      if (part.error) throw new Error(part.error);
      if (part.stopped) return;
      yield part;
    }
  }
}

async function send(path, content, signal) {
  let response;
  const body = content instanceof Blob ? content : JSON.stringify(content);
  const kind = content instanceof Blob ? content.type || "application/octet-stream" : "application/json";
  try {
    response =
      content === undefined
        ? await fetch(path, { signal })
        : await fetch(path, { method: "POST", body, headers: { "Content-Type": kind }, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer: is `workings page` still running?");
  }
  if (response.status === 401)
    throw new Error("This link is of an earlier server: open the one that `workings page` printed last.");
  return response;
}

/** A name for this window, so that its newest check ends its older ones and nobody else's. */
export const client = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
