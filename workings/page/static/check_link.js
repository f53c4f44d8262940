// A text as the part of a link behind its #, which browsers send to no server.

const LARGEST = 1000000; // letters

/** A content as letters of a link. */
export async function packed(content) {
  const squeezed = new Blob([JSON.stringify(content)])
    .stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(squeezed).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The texts of a link, by name; null where there are none, an Error where it is damaged. */
export async function unpacked(letters) {
  if (!letters) return null;
  try {
    const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const spread = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const texts = Object.entries(JSON.parse(await atMost(LARGEST, spread)));
    return Object.fromEntries(texts.filter(([, text]) => typeof text === "string"));
  } catch {
    throw new Error("This link is damaged: it does not hold a text any more.");
  }
}

/** What a stream says, if it is not too much: a short link could hold a very long text. */
async function atMost(letters, stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text;
    text += value;
    if (text.length > letters) throw new Error("too long");
  }
}
