/** Tests that the chat loses and repeats no line when the size of the terminal changes. */
import type { Terminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { describe, expect, it } from "vitest";
import { KEYS, makeGate, openChat, runChat } from "../../helpers/chat-in-terminal.ts";
import { stopAfterTest } from "../../helpers/hosting.ts";
import { setUp } from "../../helpers/run-plugboard.ts";

const { enter } = KEYS;

/** Returns words that occur once in the answer. */
function words(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `w${String(first + index).padStart(4, "0")}`);
}

const PIECES = [
  // A paragraph in one line, paragraphs of one word each, a list, code, and a paragraph that is higher than the window.
  (first: number) => `${words(first, 60).join(" ")}\n\n`,
  (first: number) => `${words(first, 20).join("\n\n")}\n\n`,
  (first: number) =>
    words(first, 20)
      .map((word) => `- the item ${word}\n`)
      .join(""),
  (first: number) => `\n\`\`\`\n${words(first, 40).join("\n")}\n`,
  (first: number) => `${words(first, 10).join("\n")}\n\`\`\`\n\n`,
  (first: number) => `${words(first, 300).join(" ")} `,
  (first: number) => words(first, 100).join(" "),
];
const COUNTS = [60, 20, 20, 40, 10, 300, 100];

const SIZES = [
  ["lower", [80, 12], [80, 16], [80, 11], [80, 14], [80, 12], [80, 10]],
  ["much lower and higher again", [80, 7], [80, 24], [80, 7], [80, 30], [80, 8], [80, 24]],
  ["narrower", [60, 24], [40, 24], [50, 24], [30, 24], [80, 24], [40, 24]],
  ["narrower and lower, wider and higher", [50, 12], [100, 30], [40, 9], [80, 24], [60, 10], [120, 40]],
] as const;

/** Pauses the chat while the size changes, because output that is on its way can't be correct for both sizes. */
async function resizeBetweenWrites(terminal: Terminal, [columns, rows]: readonly [number, number]): Promise<void> {
  process.kill(terminal.pid, "SIGSTOP");
  // Gives the terminal time to read what the chat has already written.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  await terminal.resize(columns, rows);
  process.kill(terminal.pid, "SIGCONT");
}

describe("the window of a chat", () => {
  it.each(SIZES)("keeps every line of a streamed answer once when it becomes %s", async (_, ...sizes) => {
    const gates = PIECES.map(makeGate);
    const starts = COUNTS.map((__, index) => COUNTS.slice(0, index).reduce((sum, count) => sum + count, 0));
    const parts = PIECES.flatMap((piece, index) => [
      { text: piece(starts[index]!) },
      { waitFor: gates[index]!.opened },
    ]);
    const { terminal } = await openChat({ answers: [{ parts }], cols: 80, rows: 24 });
    terminal.type(`go${enter}`);
    for (const [index, gate] of gates.entries()) {
      const last = words(starts[index]! + COUNTS[index]! - 1, 1)[0]!;
      await terminal.waitForView(last);
      const size = sizes[index];
      if (size) {
        await resizeBetweenWrites(terminal, size);
        // When the chat shows the next key, it knows the new size.
        terminal.type(String(index));
        await terminal.waitForView(
          new RegExp(`^› ${Array.from({ length: index + 1 }, (__, key) => key).join("")}$`, "m"),
        );
      }
      gate.open();
    }
    await terminal.waitForView((rows) => !rows.includes("working") && rows.includes("w0549"));
    const all = (await terminal.view.allLines()).join("\n");
    expect(all.match(/w\d{4}/g)).toEqual(words(0, 550));
    expect(all.match(/compatible\/scripted/g)).toHaveLength(1);
    expect(all).not.toContain("working");
  });

  it("shows its frame in one place from the start until it is connected", async () => {
    const setup = await setUp({});
    stopAfterTest(setup);
    const env = { ...setup.env, PLUGBOARD_MODEL: "compatible/scripted", PLUGBOARD_MODEL_URL: "http://127.0.0.1:9" };
    const terminal = runChat({ ...setup, env });
    await terminal.waitForView("connecting…");
    const places = new Set<string>();
    const stop = terminal.view.onChange(() => {
      const { rows } = terminal.view;
      places.add(rows.flatMap((row, index) => (row.startsWith("›") ? [index] : [])).join());
    });
    await terminal.waitForView("no servers");
    stop();
    expect([...places]).toEqual([String(terminal.view.cursor.row)]);
  });

  it("shows one frame if its size changes while the chat connects", async () => {
    const setup = await setUp({});
    stopAfterTest(setup);
    const terminal = runChat(setup, { cols: 100, rows: 30 });
    await terminal.waitForView("connecting…");
    await terminal.resize(24, 12);
    await terminal.waitForView(/^no model/m);
    terminal.type("typed");
    await terminal.waitForView("› typed");
    const rows = (await terminal.view.allRows()).join("\n");
    expect(rows.match(/›/g)).toHaveLength(1);
    expect(rows).not.toMatch(/connecting|Ask something/);
  });
});
