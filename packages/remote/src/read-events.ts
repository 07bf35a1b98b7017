/** The data of a stream of events (`data: …`, blank line), as it arrives. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith("data: ")) yield JSON.parse(block.slice("data: ".length));
    }
  }
}
