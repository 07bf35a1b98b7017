/** The data of a stream of events (`data: …`, blank line), as it arrives. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator {
  const decoder = new TextDecoder();
  // An event may come in many pieces: they are joined once, when its end is there.
  let pieces: string[] = [];
  for await (const chunk of body) {
    const [head = "", ...blocks] = decoder.decode(chunk, { stream: true }).split("\n\n");
    pieces.push(head);
    for (const block of blocks) {
      const event = pieces.join("");
      pieces = [block];
      if (event.startsWith("data: ")) yield JSON.parse(event.slice("data: ".length));
    }
  }
}
