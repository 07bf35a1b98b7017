/** Parses a stream of server-sent events and yields the data of each event. Skips events with a name. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator {
  const decoder = new TextDecoder();
  // An event may arrive in many chunks. They are joined once, at the end of the event.
  let pieces: string[] = [];
  let heldBack = "";
  for await (const chunk of body) {
    const text = heldBack + decoder.decode(chunk, { stream: true });
    // A single line break at the end may be the first half of the blank line that ends an event.
    heldBack = text.endsWith("\n") && !text.endsWith("\n\n") ? "\n" : "";
    const [head = "", ...blocks] = text.slice(0, text.length - heldBack.length).split("\n\n");
    pieces.push(head);
    for (const block of blocks) {
      const event = pieces.join("");
      pieces = [block];
      if (event.startsWith("data: ")) yield JSON.parse(event.slice("data: ".length));
    }
  }
}
